"""A shop to record in, a browser, and what plays what was recorded."""

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest
from anyio import to_thread

from strap import testing
from tests.site.server import Reply, serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller

LOGIN = """<!doctype html><meta charset=utf-8><title>Log in</title><h1>Log in</h1>
<form action=/login method=post>
<label>E-mail <input name=mail type=email></label>
<label>Password <input name=secret type=password></label>
<button>Sign in</button></form>"""
HOME = """<!doctype html><meta charset=utf-8><title>Shop</title><h1>Welcome</h1>
<table><tr><th>Tool</th><th></th></tr>
<tr><td>Rake</td><td><button>Add</button></td></tr>
<tr><td>Spade</td><td><button>Add</button></td></tr></table>
<p role=status id=said>The basket is empty.</p>
<label>Note <input name=note></label>
<label>Size <select name=size><option>Small<option>Large</select></label>
<button id=order data-testid=order>Order</button>
<script>
for (const row of document.querySelectorAll("tr:has(button)"))
  row.querySelector("button").onclick = () => {
    said.textContent = `In the basket: ${row.cells[0].textContent}`;
  };
order.onclick = async () => {
  const body = JSON.stringify({ note: document.querySelector("[name=note]").value });
  await fetch("/api/orders", { method: "POST", body });
  said.textContent = "Thank you, it is on its way.";
};
</script>"""


def shop(**pages):
    """The routes of the shop."""
    return {
        "/login": lambda request: (
            Reply(status=303, headers={"Location": "/home"}) if request.method == "POST" else LOGIN
        ),
        "/home": HOME,
        "/api/orders": Reply(status=201, body="{}", headers={"Content-Type": "application/json"}),
        **pages,
    }


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
def site():
    with serve(shop()) as served:
        yield served


@pytest.fixture
def opened(tmp_path):
    """Open a caller with a browser of its own, whose files go to `tmp_path / "files"`."""

    @asynccontextmanager
    async def open_caller(**config):
        home, outputs = tmp_path / "home", tmp_path / "files"
        settings = {"browser": {**SETTINGS, "auto_launch": True}}
        made = testing.router(
            home=home, outputs=outputs, network="local", plugins=settings, **config
        )
        async with made as web:
            yield Caller(web)

    return open_caller


@pytest.fixture
async def page(opened):
    async with opened() as caller:
        yield caller


@pytest.fixture
def play(tmp_path):
    """Play a script with `strap run`, in an environment of its own; returns the process."""

    def run(path, options, params):
        given = [word for name, value in params.items() for word in ("--param", f"{name}={value}")]
        command = [sys.executable, "-m", "strap", "run", *given, *options, "--network", "local"]
        environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        environ |= {"STRAP_HOME": str(tmp_path / "player")}
        settings = {key: value for key, value in SETTINGS.items() if value is not None}
        for key, value in settings.items():
            told = value if isinstance(value, str) else json.dumps(value)
            environ[f"STRAP_BROWSER__{key.upper()}"] = told
        return subprocess.run(
            [*command, str(path)],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    async def play_file(path, *options, **params):
        return await to_thread.run_sync(run, path, options, params)

    return play_file


async def buy(page, site):
    """Buy in the shop as an agent does, by refs; with detours."""
    await page("navigate", url=f"{site}/login")
    seen = await page("snapshot")
    mail, secret, sign_in = (ref_in(seen, name) for name in ('"E-mail"', '"Password"', '"Sign in"'))
    await page("fill", ref=mail, value="eva@example.org")
    await page("fill", ref=mail, value="ada@example.org")
    await page("fill", ref=secret, value="correct horse")
    await page("click", ref=sign_in)
    seen = await page("snapshot")
    await page.fails("click", selector="#nothing")
    rake = ref_in(seen.split("Rake")[1], '"Add"')
    await page("click", ref=rake)
    await page("fill", selector="[name=note]", value="ring twice")
    await page("select", ref=ref_in(seen, '"Size"'), value="Large")
    await page("click", ref=ref_in(seen, '"Order"'))


def ref_in(answer, name):
    """The ref that follows a name in an answer."""
    return answer.split(name, 1)[1].split()[0].rstrip(":]")
