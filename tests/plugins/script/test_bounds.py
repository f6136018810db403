"""Scripts from elsewhere, pages that rename everything, and signals: nothing goes further."""

import asyncio
import json
import os
import random
import signal
import sys

import pytest

from tests.plugins.script.conftest import buy, shop
from tests.site.server import serve
from tests.support.browser import SETTINGS
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
UPLOAD = """<!doctype html><title>Upload</title><label>File <input type=file
 onchange="fetch('/got/' + this.files[0].name, { method: 'POST' })"></label>"""
PUT = "navigate url={site}/\nupload selector=input paths={path}\nwait request='POST /got/*'\n"


async def test_a_script_uploads_files_of_its_own_folder_alone(play, tmp_path):
    """It is run in a home folder, from a folder of downloads."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    (tmp_path / "id_rsa").write_text("private")
    (folder / "cube.txt").write_text("mine")
    (folder / "link.txt").symlink_to(tmp_path / "id_rsa")
    with serve({"/": UPLOAD, "/got/*": "ok"}) as site:
        for path, status in (
            ("id_rsa", 1),
            ("../id_rsa", 1),
            (str(tmp_path / "id_rsa"), 1),
            ("link.txt", 1),
            ("cube.txt", 0),
        ):
            file = folder / "put.strap"
            file.write_text(PUT.format(site=site, path=path), "utf-8")
            done = await play(file)
            assert done.returncode == status, (path, done.stdout, done.stderr)
        got = [request.path for request in site.requests if request.method == "POST"]
    assert got == ["/got/cube.txt"]


async def test_a_script_from_elsewhere_stays_on_the_site_that_is_allowed(play, tmp_path):
    file = tmp_path / "elsewhere.strap"
    with serve(shop()) as site, serve({"/*": "stolen"}) as other:
        there = str(other).replace("127.0.0.1", "localhost")
        goes = f"navigate url={site}/home\nnavigate url={there}/take?from=shop\n"
        file.write_text(goes, "utf-8")
        done = await play(file, "--allow=browser.*@127.0.0.1")
        assert done.returncode == 2
        assert "line 2: " in done.stderr
        assert not site.requests + other.requests
        done = await play(file)
        assert done.returncode == 0, done.stderr
        assert other.requests


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("click ref=e1 colour=red", "colour"),
        ("fly ref=e1", "fly"),
        ("http fetch url=http://127.0.0.1:1/ shape=round", "shape"),
        ("batch steps=1", "There is no batch in a script"),
        ("wait text=$(id)", ""),
    ],
)
async def test_all_calls_are_checked_before_the_first_is_made(play, tmp_path, line, said):
    file = tmp_path / "bad.strap"
    with serve({"/": "<h1>Home</h1>"}) as site:
        file.write_text(f"navigate url={site}/\n{line}\n", "utf-8")
        done = await play(file)
        if said:
            assert done.returncode == 2
            assert "line 2: " in done.stderr
            assert said in done.stderr
            assert not site.requests
        else:
            assert done.returncode == 1
            assert "$(id)" in done.stderr


async def test_a_page_that_renames_everything_at_random_stops(page, site, play, tmp_path):
    """Each visit has other words, ids and test ids; a healed click would be a guess."""
    await buy(page, site)
    await page("script", output="buy.strap")
    path = tmp_path / "files" / "buy.strap"
    before = [each.read_bytes() for each in (path, path.with_name("buy.strap.json"))]
    dice = random.Random(55)

    def word():
        return "".join(dice.choices("bdfgklmnprstvz", k=3)) + dice.choice("aeiou")

    def home(_):
        buttons = "".join(
            f"<tr><td>{word()}<td><button id={word()} data-testid={word()}"
            f" onclick=\"fetch('/acts/x', {{ method: 'POST' }})\">{word()}</button></tr>"
            for _ in range(6)
        )
        fields = f"<label>{word()} <input name={word()}></label>"
        return f"<!doctype html><title>Shop</title><h1>Welcome</h1><table>{buttons}</table>{fields}"

    with serve(shop(**{"/home": home, "/acts/x": "ok"})) as renamed:
        for _ in range(3):
            done = await play(path, "--heal=yes", base_url=str(renamed), password="x")
            assert done.returncode == 1, done.stdout
            assert 'line 12: click ref=\'button "Add" in row "Rake"\'' in done.stderr
        assert not [each for each in renamed.requests if each.path.startswith("/acts/")]
    assert before == [each.read_bytes() for each in (path, path.with_name("buy.strap.json"))]


async def test_ctrl_c_ends_a_replay_and_tells_the_line(tmp_path):
    file = tmp_path / "long.strap"
    with serve({"/": "<h1>Home</h1>"}) as site:
        file.write_text(f"navigate url={site}/\nwait text=Never timeout=60\nback\n", "utf-8")
        environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        environ |= {"STRAP_HOME": str(tmp_path / "home")}
        for key, value in SETTINGS.items():
            if value is not None:
                told = value if isinstance(value, str) else json.dumps(value)
                environ[f"STRAP_BROWSER__{key.upper()}"] = told
        playing = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "strap", "run", "--json", "--network=local", str(file)),
            cwd=tmp_path,
            env=environ,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await eventually(lambda: site.requests)
        await asyncio.sleep(1.5)
        playing.send_signal(signal.SIGINT)
        told, errors = await asyncio.wait_for(playing.communicate(), 30)
    assert playing.returncode == 1, errors
    answer = json.loads(told)
    assert not answer["ok"]
    assert answer["failed"]["line"] == answer["done"] + 1 < 3
    assert not [*tmp_path.glob("*.jpeg")]
