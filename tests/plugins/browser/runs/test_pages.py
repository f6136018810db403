"""Pages that misbehave: what they do is seen, stored and ranked, and the run goes on."""

import pytest

from tests.support.model_server import act, done

from .lab import click

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def noisy(lab):
    """A run on a page with console errors, failing requests, dialogs, a pop-up and a download."""
    asked = len(lab.model.asked)

    answer = await lab.run(
        click("Ask"), click("Download"), click("Pop up"), done("seen"), path="/noisy", mode="dev"
    )
    return answer, lab.model.asked[asked:]


async def test_the_run_gets_through(lab, noisy):
    answer, _ = noisy
    assert (answer["status"], answer["result"]) == ("success", "seen")
    assert answer["artifacts"]["screenshots"] >= 4


async def test_what_the_page_said_is_stored(lab, noisy):
    events = await lab.events(noisy[0], event_types=["console"])
    said = {event["summary"]: event.get("has_error", False) for event in events}
    assert said["log: fine"] is False
    assert said["error: boom 42"] is True
    assert said["exception: Uncaught Error: late"] is True
    assert not any("browser-use" in line for line in said)


async def test_what_the_page_asked_for_is_stored(lab, noisy):
    events = await lab.events(noisy[0], event_types=["network"], include_details=True)
    seen = {event["summary"].replace(lab.site, ""): event for event in events}
    assert seen["GET /noisy 200"]["details"]["duration_s"] >= 0
    assert seen["GET /broken 500"]["has_error"]
    assert seen["GET /broken 500"]["details"]["status"] == 500
    assert seen["GET /moved 302"]
    assert seen["GET /second 200"]
    assert seen["GET /missing 404"]["has_error"]
    assert seen["GET /never never finished"]["has_error"]
    assert not any("secret" in str(event) for event in events)


async def test_the_errors_that_matter_come_first(lab, noisy):
    answer, _ = noisy
    top = [(e["type"], e["summary"].replace(lab.site, "")) for e in answer["errors_top"]]
    assert top[0] == ("network", "GET /broken 500")
    assert top[1] == ("console", "exception: Uncaught Error: late")
    assert ("network", "GET /missing 404") in top
    assert ("console", "error: boom 42") in top
    assert "error: boom 42" in answer["dev_excerpts"]["console_errors"]
    assert len(answer["dev_excerpts"]["network_errors"]) >= 2


async def test_dialogs_are_answered(lab, noisy):
    assert any("Confirmed" in str(body["messages"][-1]["content"]) for body in noisy[1][1:])


async def test_pop_ups_are_pages_of_the_run(lab, noisy):
    events = await lab.events(noisy[0], event_types=["network"])
    assert f"GET {lab.site}/popup 200" in [event["summary"] for event in events]
    assert any("/popup" in str(body["messages"][-1]["content"]) for body in noisy[1][3:])


async def test_nothing_is_left_of_a_download(lab, noisy):
    assert "/file.bin" in [request.path for request in lab.site.requests]
    assert not list(lab.home.rglob("file.bin*"))


async def test_the_guard_holds_for_what_a_page_asks_for(lab):
    def forbidden(body):
        port = next(iter(lab.web.router.guard._reserved))
        return act("navigate", url=f"http://127.0.0.1:{port}/json/version", new_tab=False)

    metadata = act("navigate", url="http://169.254.169.254/latest/meta-data/", new_tab=False)
    answer = await lab.run(forbidden, metadata, done("kept in"))
    asked = str(lab.model.asked[-2:])
    assert "webSocketDebuggerUrl" not in asked
    refused = [
        event["summary"]
        for event in await lab.events(answer, event_types=["network"], has_error=True)
        if "refused by strap" in event["summary"]
    ]
    assert any("own ports" in line for line in refused), refused
    assert any("metadata service" in line for line in refused), refused


async def test_files_and_scripts_are_out_of_reach(lab):
    before = len(lab.model.asked)
    answer = await lab.run(
        act("navigate", url="file:///etc/passwd", new_tab=False),
        act("evaluate", code="1"),
        done("kept in"),
    )
    asked = lab.model.asked[before:]
    assert answer["status"] == "success"
    assert "root:x:0" not in str([body["messages"] for body in asked])
    schema = str(asked[0]["response_format"])
    assert all(f"'{name}'" not in schema for name in ("evaluate", "write_file", "upload_file"))


async def test_no_request_for_decoration(lab):
    answer = await lab.run(act("navigate", url="about:blank", new_tab=True), done("ok"))
    events = await lab.events(answer, event_types=["network"])
    assert not [event for event in events if lab.site not in event["summary"]]


async def test_a_page_behind_a_password(lab):
    answer = await lab.run(done("seen"), path="/locked")
    assert "Staff only" in str(lab.model.asked[-1]["messages"][-1]["content"])
    [event] = await lab.events(
        answer, event_types=["network"], has_error=True, include_details=True
    )
    assert event["details"]["status"] == 401
    assert event["summary"].startswith(f"GET {lab.site}/locked 401 ")
    assert event["summary"] in [error["summary"] for error in answer["errors_top"]]
    assert "the server asks for a user name and a password" in event["summary"]
    assert any("HTTP 401" in line for line in answer["warnings"])
