"""Steps name the elements that they were meant for, in words that outlive the page."""

import json
import re

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
<a href="/more" target=_blank>More</a>
<i role=button tabindex=0 data-testid=twice id=same name=one>Same</i>
<button data-testid=twice id=same>Same</button>
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
        told = await elements(
            lab,
            *(enter("note", "x"), both, click("Inside"), click("Up")),
            *(click("Same"), click("Show"), act("click", index=999), click("More")),
        )
        [same], [key], *last = told[4:]
        assert told[:4] == [
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
        assert (same["alike"], same["testid"], same["apart"]) == (2, "twice", ["name_attr"])
        assert key["name"].startswith("Show ")
        assert TOKEN not in json.dumps(key)
        more = {"role": "link", "name": "More", "tag": "a"}  # also where that opens a page
        assert last == [[None], [more]]


async def test_a_step_tells_where_its_elements_are_and_what_it_took(tmp_path):
    html = """<!doctype html><title>Place</title><body style="margin:0;height:3000px">
<button onclick="window.scrollTo(0, 100)" style="position:absolute;left:128px;top:400px;width:256px;
height:60px">Scroll</button>"""

    def again(body):  # scrolled, the page is not shown from its start
        [index] = re.findall(r"\[(\d+)\]<button", str(body["messages"][-1]))
        return act("click", index=int(index))

    with serve({"/": html}) as page:
        async with laboratory(tmp_path / "home", page) as lab:
            answer = await lab.run(click("Scroll"), again, done("ok"), path="/")
            steps = await lab.events(answer, event_types=["agent"], include_details=True)
    first, second, last = [event["details"] for event in reversed(steps)][:3]
    [[left, top, width, height]] = first["boxes"]
    assert width / left == pytest.approx(2, rel=0.01)
    assert height / top == pytest.approx(60 / 400, rel=0.01)
    [[_, moved, _, _]] = second["boxes"]
    assert moved / top == pytest.approx(300 / 400, rel=0.01)
    assert last["boxes"] == [None]
    for took in (first["took"], last["took"]):
        assert took["model_s"] > 0
        assert took["page_s"] > 0
        assert (took["input_tokens"], took["output_tokens"]) == (10, 5)
