"""Checks of texts go by what is drawn, or is for screen readers, however they are written."""

import pytest

from strap import testing
from strap_cases.checking.making import make
from strap_cases.checking.scene import Scene
from strap_cases.grammar import parse_check
from strap_cases.running.session import CaseSession
from tests.site.server import serve
from tests.support.browser import ANY_BROWSER

pytestmark = pytest.mark.anyio
FORMS = ('text "Saved"', "text /^(.* )?Saved( .*)?$/", 'text "Saved" in #it', "text /Saved/ in #it")
BODY = "<main><section id=it>{}</section></main>"
READER = "position: absolute; width: 1px; height: 1px; overflow: hidden"
FRAME = "<iframe srcdoc='<section id=it>Saved</section>' {}></iframe>"
HOST = "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = `%s`</script>"
SEEN = {
    "plain": "<p>Saved</p>",
    "in letters of a style": "<p style='text-transform: capitalize'>saved</p>",
    "for readers": f"<p style='{READER}'>Saved</p>",
    "far down": "<p style='margin-top: 9000px'>Saved</p>",
    "scrolled away": (
        "<div style='height: 40px; overflow: auto'><p>Saved</p><p style='height: 900px'></p></div>"
        "<script>document.querySelector('div').scrollTop = 800</script>"
    ),
    "in a shadow root": HOST % "<p>Saved</p>",
    "given to a shadow root": (
        "<div id=host>Saved</div><script>"
        "host.attachShadow({mode: 'open'}).innerHTML = '<p><slot></slot></p>'</script>"
    ),
    "in part of a shadow root": (
        "<b>Sa</b><span id=host></span><script>"
        "host.attachShadow({mode: 'open'}).innerHTML = 'ved'</script>"
    ),
    "in open details": "<details open><summary>More</summary>Saved</details>",
    "without a box": "<div style='display: contents'>Saved</div>",
    "in a field": "<input value=Saved>",
    "to be filled in": "<input placeholder=Saved>",
    "named for readers": "<button aria-label=Saved>x</button>",
    "drawn by something else": "<input type=checkbox style='opacity: 0' aria-label=Saved>",
    "with what is hidden in it": "<p>Sa<i hidden>no</i>ved</p>",
    "in a drop-down": "<select><option>Saved</select>",
}
UNSEEN = {
    "transparent": "<p style='opacity: 0'>Saved</p>",
    "in what is transparent": "<div style='opacity: 0'><div><p>Saved</p></div></div>",
    "hidden": "<p hidden>Saved</p>",
    "invisible": "<p style='visibility: hidden'>Saved</p>",
    "without a size": "<p style='font-size: 0'>Saved</p>",
    "shrunk": "<p style='transform: scale(0)'>Saved</p>",
    "in a drawer": "<p style='position: fixed; left: -300px; width: 200px'>Saved</p>",
    "cut off": "<div style='height: 0; overflow: hidden'>Saved</div>",
    "in closed details": "<details><summary>More</summary>Saved</details>",
    "in a block of closed details": "<details><summary>More</summary><p>Saved</p></details>",
    "until it is found": "<div hidden=until-found>Saved</div>",
    "a field that is transparent": "<input value=Saved style='opacity: 0'>",
    "a field in a drawer": "<p style='position: fixed; left: -300px'><input value=Saved></p>",
    "a name in what is cut off": (
        "<div style='height: 0; overflow: hidden'><button aria-label=Saved>x</button></div>"
    ),
    "a drop-down that is transparent": "<select style='opacity: 0'><option>Saved</select>",
    "a name that is hidden": "<button aria-label=Saved style='visibility: hidden'>x</button>",
    "a secret": "<input type=password value=Saved>",
    "in a shadow root": HOST % "<p style='opacity: 0'>Saved</p>",
    "in part": "<p>Sa<b style='opacity: 0'>v</b>ed</p>",
}
FRAMES_UNSEEN = {
    "transparent": FRAME.format("style='opacity: 0'"),
    "without a size": FRAME.format("width=0 height=0 style='border: 0'"),
    "hidden": FRAME.format("style='visibility: hidden'"),
    "off": FRAME.format("style='position: fixed; left: -900px'"),
    "in what is cut off": f"<div style='height: 0; overflow: hidden'>{FRAME.format('')}</div>",
    "in closed details": f"<details><summary>More</summary>{FRAME.format('')}</details>",
}
FRAMES_SEEN = {
    "there": FRAME.format(""),
    "far down": f"<p style='height: 5000px'></p>{FRAME.format('')}",
    "in a frame": f'<iframe srcdoc="{FRAME.format("")}"></iframe>',
}
PAGES = {
    **{f"seen, {name}": (BODY.format(body), True) for name, body in SEEN.items()},
    **{f"unseen, {name}": (BODY.format(body), False) for name, body in UNSEEN.items()},
    **{f"frame seen, {name}": (body, True) for name, body in FRAMES_SEEN.items()},
    **{f"frame unseen, {name}": (body, False) for name, body in FRAMES_UNSEEN.items()},
}


@pytest.fixture(scope="module")
async def scene(tmp_path_factory):
    tables = {"browser": {**ANY_BROWSER, "profiles": {"case": {"ephemeral": True}}}}
    routes = {f"/{number}": body for number, (body, _) in enumerate(PAGES.values())}
    with serve(routes) as site:
        async with testing.router(home=tmp_path_factory.mktemp("home"), plugins=tables) as web:
            session = CaseSession(web.router, "case", "one")
            await session.launch()
            await session.start(viewport="900x700")
            await session.go(f"{site}/0", state="")
            yield Scene(session=session, base_url=site)


@pytest.mark.parametrize(("number", "name"), [*enumerate(PAGES)], ids=PAGES)
async def test_a_text_is_there_where_somebody_sees_it(scene, number, name):
    await scene.session.on_page("navigate", url=f"{scene.base_url}/{number}")
    seen = await make([parse_check(source, 1, {}) for source in FORMS], scene, 0)
    wanted = PAGES[name][1]
    assert {each.check.source: each.met for each in seen} == dict.fromkeys(FORMS, wanted)
