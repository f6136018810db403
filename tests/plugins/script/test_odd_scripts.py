"""Scripts of odd pages, scripts that are none, and replays that end early or need a yes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from strap.scripts.evidence import read_evidence, with_marks
from strap.scripts.script import read_script
from tests.site.server import serve

from .conftest import HOME, shop

pytestmark = pytest.mark.anyio
LONG = "ten thousand " * 770
NAMES = {
    "quotes": """Say "yes" or 'no' \\ {now}""",
    "line ends": "One\nTwo\r\nThree",
    "right to left": "\u202eTfel ot\u202c \u05e9\u05dc\u05d5\u05dd\u200f",
    "an asterisk": "All*",
    "all names are longer": LONG,
}
ODD = """<!doctype html><meta charset=utf-8><title>Odd</title><h1>Odd</h1><main></main>
<p role=status></p><script>
NAMES.forEach((name, at) => {
  const button = document.querySelector("main").appendChild(document.createElement("button"));
  button.textContent = name;
  button.onclick = () => { fetch("/acts/" + at, { method: "POST" }); };
});
</script>"""


def acts(site):
    return [request.path for request in site.requests if request.path.startswith("/acts/")]


async def played(page, name):
    return await page("batch", paths=[name])


async def test_names_of_all_kinds_come_back_as_the_same_elements(page):
    names = list(NAMES.values())
    with serve({"/": ODD.replace("NAMES", json.dumps(names))}) as site:
        await page("navigate", url=str(site))
        for at in range(len(names)):
            await page("click", selector=f"main button:nth-child({at + 1})")
        text = await page("script")
        script = read_script(text)
        assert "selector=" not in text
        assert str(read_script(str(script))) == str(script)
        assert max(map(len, text.splitlines())) < 1_000
        wanted = acts(site)
        assert len(wanted) == len(names)
        await page("script", output="odd.strap")
        del site.requests[:]
        await played(page, "odd.strap")
        assert acts(site) == wanted


TWICE = """<!doctype html><title>Twice</title><h1>Twice</h1>
<ul><li>Rake <button data-testid=buy onclick="fetch('/acts/rake')">Buy</button></li>
<li>Hoe <button data-testid=buy onclick="fetch('/acts/hoe')">Buy</button></li></ul>"""


async def test_a_test_id_that_two_elements_have_tells_none_of_them(page, tmp_path):
    with serve({"/": TWICE}) as site:
        await page("navigate", url=str(site))
        assert "2 elements are testid:buy" in str(await page.fails("click", ref="testid:buy"))
        await page("click", selector="li:nth-child(2) button")
        await page("script", output="twice.strap")
        evidence = (tmp_path / "files" / "twice.strap.json").read_text("utf-8")
        assert '"testid"' not in evidence
        await played(page, "twice.strap")
        assert acts(site) == ["/acts/hoe"] * 2


FRAMED = """<!doctype html><title>Pay</title><h1>Pay</h1>
<iframe title=Payment
 srcdoc="<button onclick=&quot;fetch('/acts/pay')&quot;>Pay</button>"></iframe>"""


async def test_an_element_in_a_frame_that_is_gone_is_not_looked_for_elsewhere(page, tmp_path):
    shown = [FRAMED]
    with serve({"/": lambda _: shown[0]}) as site:
        await page("navigate", url=str(site))
        await page("click", ref='button "Pay" in frame "Payment"')
        await page("script", output="pay.strap")
        del site.requests[:]
        shown[0] = FRAMED[: FRAMED.index("<iframe")] + "<button>Pay</button>"
        script = (tmp_path / "files" / "pay.strap").read_text("utf-8")
        assert 'button "Pay" in frame "Payment"' in script
        told = await played(page, "pay.strap")
        assert 'Failed: No element is button "Pay" in frame "Payment"' in told
        assert not acts(site)


def test_evidence_that_says_nothing_of_use_changes_no_call():
    lines = read_script("click ref='button \"Pay\"'\nclick ref=#pay").lines
    for told in (b"\xff", b"7", b'{"format": 2, "calls": []}', b'{"format": 1, "calls": {"a": 1}}'):
        assert read_evidence(told, lines)[1] == {}
    call, other = (dict(line.arguments) for line in lines)

    def played(arguments, evidence):
        return with_marks([(lines[0], arguments)], {1: evidence})[0][1]

    for marks in (None, 7, [], {}, {"testid": ""}, {"field": "pay"}):
        assert played(call, {"ref": {"marks": marks}}) == call
    marked = played(call, {"ref": {"marks": {"id": "pay", "testid": "pay now"}}})
    assert marked["ref"] == 'button "Pay" testid:"pay now"'
    assert played(other, {"ref": {"marks": {"testid": "pay"}}}) == other
    css = {"action": "click", "selector": "button"}
    assert played(css, {"selector": {"marks": {"id": "pay"}}}) == css


async def test_a_script_of_another_version_is_refused_before_its_first_call(play, tmp_path):
    file = tmp_path / "new.strap"
    file.write_text("# strap script 2\nnavigate url=http://127.0.0.1:1/\n", "utf-8")
    done = await play(file)
    assert done.returncode == 2
    assert "line 1: its format is 2, and this strap reads 1" in done.stderr
    assert not (tmp_path / "new.strap.jpeg").exists()


async def test_a_replay_that_ends_early_leaves_a_picture(play, tmp_path):
    file = tmp_path / "short.strap"
    with serve(shop()) as site:
        lines = (f"navigate url={site}/home", "click ref='button \"Gone\"'")
        file.write_text("\n".join(lines), "utf-8")
        done = await play(file, "--json")
    failed = json.loads(done.stdout)["failed"]
    assert (done.returncode, failed["line"], failed["code"]) == (1, 2, "not_found")
    assert failed["picture"] == str(tmp_path / "short.strap.jpeg")
    assert (tmp_path / "short.strap.jpeg").read_bytes().startswith(b"\xff\xd8")


async def test_what_needs_a_yes_is_played_where_it_was_given_in_advance(play, tmp_path):
    file = tmp_path / "order.strap"
    with serve(shop(**{"/home": HOME})) as site:
        lines = (f"navigate url={site}/home", "click ref='button \"Order\"'", "wait text=Thank")
        file.write_text("\n".join(lines), "utf-8")
        for agreed, status in (("browser.click@bank.example", 1), ("browser.click@127.0.0.1", 0)):
            done = await play(file, "--confirm=browser.click", f"--yes={agreed}")
            assert done.returncode == status, done.stderr
            ordered = [request for request in site.requests if request.path == "/api/orders"]
            assert len(ordered) == 1 - status
            assert ("needs a person's yes" in done.stderr) == bool(status)


WRITER = """
import sys
from pathlib import Path
from strap.atomic_files import write_atomically
for number in range(10**9):
    text = "# strap script 1\\n" + f"navigate url=http://shop.example/{number}\\n" * 1_900
    write_atomically(Path(sys.argv[1]), text.encode(), private=False)
"""


def test_a_script_is_whole_or_not_there_when_its_writer_is_killed(tmp_path):
    file = tmp_path / "killed.strap"
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(file)])
        until = time.monotonic() + 60
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        lines = read_script(file.read_text("utf-8")).lines
        assert len({str(line) for line in lines}) == 1
        assert len(lines) == 1_900
        file.unlink()
