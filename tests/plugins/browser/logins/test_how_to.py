"""The how-to of docs/logins.md, word by word, with an empty home; only the address differs."""

import os
import re
import subprocess
import sys
import time
from base64 import b32decode
from pathlib import Path
from secrets import token_hex
from urllib.parse import parse_qs

import pytest

from tests.site.server import Reply, serve
from tests.support.login_site import code_of
from tests.support.passkey_site import PAGE, PasskeySite

PAGE_TEXT = (Path(__file__).parents[4] / "docs" / "logins.md").read_text("utf-8")
HOW_TO = PAGE_TEXT.partition("## Keep a login between days")[2].partition("\n## ")[0]
BUTTONS = PAGE.replace(">Register<", ">Create a passkey<").replace(
    ">Sign in<", ">Sign in with a passkey<"
)
FORM = """<form method=post action=/enter>
<label>Password <input type=password name=password></label>
<label>Code <input name=code inputmode=numeric></label><button>Log in</button></form>"""
ADDRESS = "https://shop.example"


class Shop(PasskeySite):
    """Takes the password and each code once; who signed in with a passkey is told."""

    def __init__(self, password, key):
        super().__init__()
        self.password, self.key = password, key
        self.sessions, self.used, self.signed_in = set(), set(), 0

    def enter(self, request):
        given = {name: values[-1] for name, values in parse_qs(request.body.decode()).items()}
        codes = {code_of(time.time() + n, self.key) for n in (-30, 0)} - self.used
        if given.get("password") != self.password or given.get("code") not in codes:
            return "<h1>Wrong</h1>"
        self.used.add(given["code"])
        session = token_hex(8)
        self.sessions.add(session)
        return Reply(status=303, headers={"Location": "/home", "Set-Cookie": f"sid={session}"})

    def home(self, request):
        if any(each in request.headers.get("cookie", "") for each in self.sessions):
            return f"{BUTTONS}<h2>Welcome</h2>"
        return Reply(status=302, headers={"Location": "/login"})

    def sign_in(self, request):
        answer = self._sign_in(request)
        self.signed_in += "Welcome" in answer.body
        return answer

    @property
    def routes(self):
        pages = {"/login": BUTTONS + FORM, "/enter": self.enter, "/home": self.home}
        return {**super().routes, **pages, "/sign-in": self.sign_in}


@pytest.fixture
def shop():
    value = re.search(r'^value = "(.*)"', PAGE_TEXT, re.MULTILINE)[1]
    return Shop(value, b32decode(re.search(r"secret=(\w+)", PAGE_TEXT)[1]))


def test_word_by_word(tmp_path, shop):
    tables = re.findall(r"```toml\n(.*?)```", PAGE_TEXT, re.DOTALL)
    with serve(shop.routes) as running:
        site = str(running).replace("127.0.0.1", "localhost")

        def here(text):
            return text.replace(ADDRESS, site)

        def run(block):
            commands = re.sub(r"^\$ ", "", here(block), flags=re.MULTILINE)
            environ = {k: v for k, v in os.environ.items() if not k.startswith(("STRAP_", "XDG_"))}
            environ |= {
                "HOME": str(home),
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            }
            done = subprocess.run(
                ["bash", "-e"],
                input=commands,
                cwd=work,
                env=environ,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        home, work = tmp_path / "home", tmp_path / "work"
        home.mkdir()
        work.mkdir()
        (work / "strap.toml").write_text("\n".join(map(here, tables)))
        first, next_day = re.findall(r"```console\n(.*?)```", HOW_TO, re.DOTALL)
        said = run(first)
        assert "1 passkey)." in said
        assert shop.password not in said + (work / "shop.strap").read_text()
        assert len(shop.sessions) == 1
        said = run(next_day)
        assert said.startswith("Still logged in: ")
        assert len(shop.sessions) == shop.signed_in == 1
        shop.sessions.clear()
        shop.used.clear()  # on that day codes are others
        assert run(next_day).startswith("Logged in by ")
        assert shop.signed_in == 2
