"""What the agent's model is told of a page where elements lie over each other: what is seen."""

import pytest

from tests.site.server import serve
from tests.support.model_server import done

pytestmark = pytest.mark.anyio
ROWS = "".join(f"<p>row {number}</p>" for number in range(60))
PAGE = """<!doctype html><style>
 body {{ margin: 0; font: 16px/20px sans-serif }} p {{ margin: 0; background: #eee }}
 .over {{ position: absolute; left: 0; top: 0; width: 400px }}
 .low {{ position: absolute; left: 0; top: 300px; width: 300px }}
</style><p class="low">Down here</p>{}"""
SEEN = {
    "what a list cuts off": f'<div class="over" style="height:200px;overflow:auto">{ROWS}</div>',
    "what a list in a box cuts off": f"""<div class="over" style="height:200px;overflow:hidden">
        <div><div style="position:relative">{ROWS}</div></div></div>""",
    "what is placed within what is cut off": """
        <div class="over" style="height:200px;overflow:hidden">
        <p style="position:absolute;top:0;width:100%;height:600px">tall</p></div>""",
    "what a transparent parent holds": """<div class="over" style="opacity:0;height:600px">
        <p style="height:600px">closed</p></div>""",
    "a tint": '<p class="over" style="height:600px;background:rgba(0, 0, 0, .05)">tint</p>',
    "a tint in another color space": """
        <p class="over" style="height:600px;background:oklch(.5 .1 90 / 40%)">tint</p>""",
    "halves of opacity and background": """
        <div style="opacity:.9"><p class="over" style="height:600px;background:#000d">x</p>""",
    "a tint over the window that takes no mouse": """
        <p style="position:fixed;inset:0;background:#0008;pointer-events:none">tint</p>""",
}
HIDDEN = {
    "a backdrop": '<p style="position:fixed;inset:0;background:rgba(0, 0, 0, .4)">dim</p>',
    "a backdrop by its opacity": """
        <p style="position:fixed;inset:0;background:#000;opacity:.5">dim</p>""",
    "almost opaque": '<p class="over" style="height:600px;background:#eeeeeef0">sheet</p>',
    "a sheet": '<p class="over" style="height:600px">sheet</p>',
    "rows that are shown": f'<div class="over" style="height:600px;overflow:auto">{ROWS}</div>',
    "what is fixed in what is cut off": """
        <div class="over" style="height:100px;overflow:hidden">
        <p style="position:fixed;top:0;width:400px;height:600px">sheet</p></div>""",
    "what is placed by an outer box": """
        <div class="over"><div style="height:100px;overflow:hidden">
        <p style="position:absolute;top:0;width:100%;height:600px">sheet</p></div></div>""",
}


@pytest.mark.parametrize("html", SEEN.values(), ids=SEEN)
async def test_what_only_an_unseen_part_lies_over_is_told(lab, html):
    assert "Down here" in await told(lab, html)


@pytest.mark.parametrize("html", HIDDEN.values(), ids=HIDDEN)
async def test_what_is_covered_is_not(lab, html):
    assert "Down here" not in await told(lab, html)


async def told(lab, html):
    """Return what the model is told of the page."""
    asked = len(lab.model.asked)
    with serve({"/covered": PAGE.format(html)}) as site:
        await lab.run(done("ok"), url=f"{site}/covered")
    [body] = lab.model.asked[asked:]
    text = str(body["messages"][-1]["content"])
    assert "/covered" in text
    return text
