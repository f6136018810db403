"""Steps name the elements that they were meant for, in words that outlive the page."""

import json

import pytest

from tests.site.server import serve
from tests.support.model_server import act, acts, done

from .lab import click, enter, index_before, laboratory, shown

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent")]
TOKEN = "Tr0ub4dor-and-three"
WAIT = {"wait": {"seconds": 0}}
PAGE = f"""<!doctype html><title>Order</title>
<label>Note <input name=note></label>
<button id=order data-testid=send onclick="this.remove()">Order <b>now</b></button>
<a href="#top" id={"x" * 2_001}>Up</a> <button title=Key>Show {TOKEN} here</button>
<a href="/more" target=_blank>More</a> <i role=button tabindex=0>Same</i> <button>Same</button>
<iframe srcdoc="<button>Inside</button>" width=300></iframe>"""


@pytest.fixture(scope="module")
def page():
    with serve({"/": PAGE, "/more": "<title>More</title>More"}) as running:
        yield running


async def elements(lab, *script):
    answer = await lab.run(*script, done("ok"), path="/")
    steps = await lab.events(answer, event_types=["agent"], include_details=True)
    return [event["details"]["elements"] for event in reversed(steps)][: len(script)]


async def test_each_action_has_its_element(tmp_path, page):
    def both(body):
        index = index_before(shown(body), "Order")
        return acts(WAIT, {"click": {"index": index}})

    secrets = {"shop": {"value": TOKEN, "origins": [str(page)]}}
    async with laboratory(tmp_path / "home", page, secrets=secrets) as lab:
        told = await elements(lab, enter("note", "x"), both, click("Inside"), click("Up"))
        assert told == [
            [{"role": "textbox", "name": "Note", "tag": "input", "name_attr": "note"}],
            [
                None,
                {
                    "role": "button",
                    "name": "Order now",
                    "tag": "button",
                    "id": "order",
                    "testid": "send",
                },
            ],
            [{"role": "button", "name": "Inside", "tag": "button", "frame": True}],
            [{"role": "link", "name": "Up", "tag": "a"}],
        ]
        [[same]] = await elements(lab, click("Same"))
        assert same["alike"] == 2
        more = {"role": "link", "name": "More", "tag": "a"}  # also where that opens a page
        assert await elements(lab, click("More")) == [[more]]
        [[key]] = await elements(lab, click("Show"))
        assert key["name"].startswith("Show ")
        assert TOKEN not in json.dumps(key)
        assert await elements(lab, act("click", index=999)) == [[None]]
