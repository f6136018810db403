"""`strap runs` in a process of its own, and the report that it writes."""

import json
import subprocess
import sys
import zipfile

import pytest

from strap import testing
from strap_agent.store.records import Event
from tests.site.server import serve
from tests.support.browser import ANY_BROWSER

from .conftest import PNG

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def stored(store, draft):
    """A finished run with one step, an error and a picture; the store is open meanwhile."""
    begun = draft(task=f"find {EVIL}", url="https://example.com/?a=<b>")
    store.begin(begun, owner="local", model="openai/scripted")
    store.add(
        begun.session_id,
        [
            Event(type="agent", summary=f"clicked {EVIL}", at=1.0, step=1, details={"x": EVIL}),
            Event(type="console", summary=f"error {EVIL}", at=2.0, step=1, has_error=True),
            Event(type="network", summary="GET https://example.com/ 200", at=3.0, step=1),
        ],
    )
    store.add_shot(begun.session_id, PNG, step=1, title=EVIL)
    store.finish(
        begun.model_copy(
            update={"status": "success", "stop_reason": "done", "result": f"it is {EVIL}"}
        ),
        steps=1,
    )
    return begun.session_id


@pytest.fixture
def strap_runs(tmp_path):
    def run(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, "-m", "strap", "runs", *arguments],
            capture_output=True,
            text=True,
            env={"STRAP_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout or done.stderr

    return run


def test_list_and_show(strap_runs, stored):
    assert stored in strap_runs("list")
    assert json.loads(strap_runs("list", "--json"))["stop_reason"] == "done"
    assert json.loads(strap_runs("show", stored[:8]))["result"] == f"it is {EVIL}"
    *_, console, network = strap_runs("show", stored, "--events").splitlines()
    assert json.loads(console)["has_error"] is True
    assert json.loads(network)["summary"] == "GET https://example.com/ 200"
    assert "is unknown" in strap_runs("show", "nothing", status=2)


def test_looking_for_runs_where_there_are_none(strap_runs, tmp_path):
    assert strap_runs("list").startswith(f"No runs are stored in '{tmp_path}/runs'")
    assert "is unknown" in strap_runs("show", "0123", status=2)
    assert "is unknown" in strap_runs("export", "0123", "run.zip", status=2)
    assert strap_runs("prune") == "Removed 0 runs.\n"
    assert list(tmp_path.iterdir()) == []


def test_bad_arguments(strap_runs, stored):
    assert "x>=1" in strap_runs("list", "--limit", "-1", status=2)
    assert "x>=0" in strap_runs("prune", "--days", "-1", status=2)
    assert "is unknown" in strap_runs("show", "", status=2)


def test_a_long_task_leaves_room_for_what_became_of_it(strap_runs, store, draft):
    begun = draft(task="compare all prices, " * 500 + "\nand tell <b>them</b>")
    store.begin(begun, owner="local", model="openai/gpt-5")
    store.finish(begun, steps=0)
    page = strap_runs("show", begun.session_id, "--html")
    heading = page.partition("<h1>")[2].partition("</h1>")[0]
    assert len(heading) <= 160
    assert heading.endswith("…")
    assert "and tell &lt;b&gt;them&lt;/b&gt;" in page
    assert "No step was stored." in page


def test_the_report_is_one_page_and_trusts_nothing_in_it(strap_runs, stored):
    page = strap_runs("show", stored, "--html")
    assert EVIL not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    assert "default-src 'none'" in page
    assert "data:image/png;base64," in page
    assert "<script" not in page


def test_a_step_tells_its_actions_in_words_with_what_came_of_each(strap_runs, store, draft):
    begun = draft(task="buy")
    store.begin(begun, owner="local", model="openai/gpt-5")
    details = {
        "goal": "buy it",
        "actions": [{"click": {"index": 3}}, {"input": {"index": 4, "text": EVIL}}, {"wait": {}}],
        "elements": [{"role": "button", "name": EVIL}, {"tag": "input", "id": "name"}],
        "boxes": [[0.1, 0.2, 0.3, 0.05], ["x", 0, 0, 0]],
        "results": [{"text": f"Clicked {EVIL}"}, {"error": "There is no page before."}],
        "took": {"model_s": 2.14, "page_s": 0.5, "input_tokens": 8120, "output_tokens": 40},
    }
    step = Event(type="agent", summary="step 1: buy it", at=1.0, step=1, details=details)
    store.add(begun.session_id, [step])
    store.add_shot(begun.session_id, PNG, step=1)
    store.add_shot(begun.session_id, PNG, step=1)
    answer = {"status": "success", "stop_reason": "done", "result": "bought", "summary": "bought"}
    store.finish(begun.model_copy(update=answer), steps=1)
    page = strap_runs("show", begun.session_id, "--html")
    acts = page.partition('<ol class="acts">')[2].partition("</ol>")[0]
    evil = EVIL.replace("<", "&lt;").replace(">", "&gt;")
    assert f"<li><b>click button &quot;{evil}&quot;</b> Clicked {evil}" in acts
    bad = f'<li class="error"><b>enter &quot;{evil}&quot; in input name</b> There is no page'
    assert bad in acts
    assert "<b>wait</b> not carried out" in acts
    assert page.count('class="mark"') == 1
    assert "left:10.00%;top:20.00%;width:30.00%;height:5.00%" in page
    assert "model 2.1 s · page 0.5 s · 8,120 tokens in, 40 out" in page
    assert "<h2>Summary</h2>" not in page


@pytest.mark.anyio
async def test_the_report_opens_in_a_browser_and_asks_for_nothing(strap_runs, stored, tmp_path):
    page = strap_runs("show", stored, "--html")
    settings = {"browser": ANY_BROWSER}
    with serve({"/report": page}) as site:
        async with testing.router(home=tmp_path / "web", network="local", plugins=settings) as web:
            await web(resource="browser", action="launch")
            await web(resource="browser", action="navigate", url=f"{site}/report")
            script = "[...document.images].map((image) => image.naturalWidth)"
            images = await web(resource="browser", action="evaluate", text=script)
            console = await web(resource="browser", action="console")
            shown = await web(resource="browser", action="text")
    assert json.loads(images.text) == [1]
    assert "No messages" in console.text
    assert f"it is {EVIL}" in shown.text
    assert {request.path for request in site.requests} <= {"/report", "/favicon.ico"}


def test_export_holds_everything(strap_runs, stored, tmp_path):
    strap_runs("export", stored, "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        names = archive.namelist()
        assert {"run.json", "events.jsonl", "report.html"} < set(names)
        assert archive.read(names[-1]) == PNG
        assert len(archive.read("events.jsonl").splitlines()) == 3


def test_export_without_a_picture_that_is_gone(strap_runs, stored, store, tmp_path):
    [shot] = store.shots(stored)
    (store.folder(stored) / shot.file).unlink()
    strap_runs("export", stored, "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        assert b"the picture is gone" in archive.read("report.html")


def test_prune(strap_runs, stored):
    assert strap_runs("prune") == "Removed 0 runs.\n"
    assert strap_runs("prune", "--days", "0") == "Removed 1 run.\n"
    assert strap_runs("list").startswith("No runs are stored")
