"""Runs in a strap whose policy denies what the agent could do instead of a call."""

from contextlib import ExitStack

import pytest

from tests.site.server import serve
from tests.support.model_server import act, after_a_wait, done

from .lab import laboratory
from .test_yes import KINDS, PAY, far

pytestmark = pytest.mark.anyio
LOOKS = ("navigate", "snapshot", "text", "screenshot")


@pytest.fixture(scope="module")
def bank():
    """The bank is localhost, everything else 127.0.0.1."""
    routes = {"/pay": PAY}
    routes["/"] = lambda request: f"<title>Home</title><a href='{far(served)}/pay'>Bank</a>"
    with serve(routes) as served:
        yield served


async def test_what_every_run_does_keeps_it_from_beginning(tmp_path, bank):
    with ExitStack() as stack:
        banks = {name: stack.enter_context(serve({"/pay": PAY})) for name in LOOKS}
        deny = [f"browser.{name}@localhost:{each.port}" for name, each in banks.items()]
        async with laboratory(tmp_path, bank, deny=deny) as lab:
            for name, each in banks.items():
                result = await lab.raw(done("42"), url=f"{far(each)}/pay")
                assert result.data["stop_reason"] == "invalid_arguments"
                assert f"does not allow browser.{name} for" in result.data["summary"]
                assert not each.requests
            assert (await lab.run(done("42"), url=f"{far(bank)}/"))["status"] == "success"


async def test_each_action_of_the_agent_is_denied(tmp_path, bank):
    """Nothing of what the agent tries happens where the browser's own action is denied."""
    acting = [kind for kind in KINDS if kind[1] not in LOOKS]
    deny = {f"browser.{name}@localhost" for _, name, *_ in acting}
    script = [after_a_wait(entry) for entry, *_ in acting]
    async with laboratory(tmp_path, bank, deny=sorted(deny)) as lab:
        answer = await lab.run(
            *script, done("42"), url=f"{far(bank)}/pay", budget_s=300, max_steps=60
        )
        events = await lab.events(answer, last_n=200, event_types=["agent"])
    assert answer["page"]["title"] == "Bank"
    refused = [each for each in events if "The policy does not allow" in str(each)]
    assert len(refused) == len(acting)


async def test_a_run_gets_to_no_host_that_is_denied(tmp_path, bank):
    bank.requests.clear()
    script = (
        act("navigate", url=f"{far(bank)}/pay", new_tab=False),
        act("navigate", url=f"{far(bank)}/pay", new_tab=True),
    )
    async with laboratory(tmp_path, bank, deny=["browser.navigate@localhost"]) as lab:
        answer = await lab.run(*script, done("42"), url=f"{bank}/")
    assert answer["page"]["url"].startswith(str(bank))
    assert not [each for each in bank.requests if each.path == "/pay"]
