"""Page with elements that overlap: the agent's model is told those that are seen."""

import pytest

from tests.site.server import serve
from tests.support.model_server import act, done

from .lab import state_of

pytestmark = pytest.mark.anyio
ROWS = "".join(f"<p>row {number}</p>" for number in range(60))
PAGE = """<!doctype html><style>
 body {{ margin: 0; font: 16px/20px sans-serif }} p {{ margin: 0; background: #eee }}
 .over {{ position: absolute; left: 0; top: 0; width: 400px }}
 .low {{ position: absolute; left: 0; top: 300px; width: 300px }}
</style><p class="low">{}</p>{}"""
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


async def test_what_only_an_unseen_part_lies_over_is_told(lab):
    assert await names_told(lab, SEEN) == [*SEEN]


async def test_what_is_covered_is_not(lab):
    assert await names_told(lab, HIDDEN) == []


async def names_told(lab, pages):
    """Return the pages whose own low text the model is told; a step of the run shows each."""
    routes = {f"/{n}": PAGE.format(f"Low {n}.", html) for n, html in enumerate(pages.values())}
    asked = len(lab.model.asked)
    with serve(routes) as site:
        first, *others = (f"{site}{path}" for path in routes)
        steps = [act("navigate", url=url, new_tab=False) for url in others]
        await lab.run(*steps, done("ok"), url=first, budget_s=120)
    texts = [state_of(body) for body in lab.model.asked[asked:]]
    for path, text in zip(routes, texts, strict=True):
        assert f"{site}{path}" in text
    return [name for n, name in enumerate(pages) if f"Low {n}." in texts[n]]
