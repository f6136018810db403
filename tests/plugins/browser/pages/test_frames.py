"""Frames that never come, or that hang: the page around them is used like any other."""

import time

import pytest

from strap_browser.interaction.page_state import FRAMES_LIMIT
from tests.plugins.browser.pages.conftest import ref_in
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


LOOP = "<p>Before</p><script>setTimeout(() => { while (true) {} }, 100)</script>"


@pytest.fixture
def framed(serve_site, site):
    """A page with a frame that comes from another site, by the name of the trouble."""
    silent = f"<iframe src='{site}/silent'></iframe>"
    other = serve_site({"/nested": f"<p>Nest</p>{silent}", "/loop": LOOP})
    elsewhere = str(other).replace("127.0.0.1", "localhost")

    def page(frame):
        return f"<h1>Around</h1><button onclick='textContent = \"Pressed\"'>Press</button>{frame}"

    return serve_site(
        {
            "/silent": page(silent),
            "/nested": page(f"<iframe src='{elsewhere}/nested'></iframe>"),
            "/loop": page(f"<iframe src='{elsewhere}/loop'></iframe>"),
        }
    )


@pytest.mark.parametrize(
    "trouble", ["silent", "nested", pytest.param("loop", marks=pytest.mark.soak)]
)
async def test_the_page_around_it_is_usable(page, framed, trouble):
    answer = await page("navigate", url=f"{framed}/{trouble}", timeout=25)
    assert 'h1 "Around"' in answer
    assert 'button "Pressed"' in await page("click", selector="button", timeout=25)
    shown = await page("snapshot", timeout=25)
    assert "Around" in shown
    assert "iframe" in shown
    assert "Around" in await page("text", timeout=25)
    assert "is there" in await page("wait", text="Pressed", timeout=25)
    if trouble == "nested":
        assert "Nest" in shown
    assert "Sign up" in await page.open("form.html")


BUSY = """<p>Before</p><script>setTimeout(() => {
  const until = Date.now() + 9000; while (Date.now() < until); }, 100)</script>"""


async def test_a_frame_that_is_busy_holds_up_nobody_twice(page, serve_site):
    """And is there again when it answers."""
    busy = serve_site({"/": BUSY})
    elsewhere = str(busy).replace("127.0.0.1", "localhost")
    button = "<button onclick='textContent += 1'>Press</button>"
    await page("navigate", url=serve_site({"/": f"{button}<iframe src='{elsewhere}/'></iframe>"}))
    while "Before" in await page("snapshot"):  # until it was waited for once
        pass
    began = time.monotonic()
    for _ in range(2):
        assert "Changed:" in await page("click", selector="button")
    assert "iframe loading" in await page("snapshot")
    assert time.monotonic() - began < FRAMES_LIMIT

    async def there():
        return "Before" in await page("snapshot")

    await eventually(there)


FILLING = "position:fixed;inset:0"
ASKING = """<button onclick="fetch('/late').then((answer) => answer.text())
  .then((text) => { this.textContent = text; })">Ask</button>"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_what_a_frame_asks_for_is_waited_for(page, serve_site, host):
    def late(_):
        time.sleep(0.7)  # longer than a page is waited for that asks for nothing
        return "Answered"

    inner = str(serve_site({"/": ASKING, "/late": late})).replace("127.0.0.1", host)
    await page(
        "navigate", url=serve_site({"/": f"<h1>Around</h1><iframe src='{inner}/'></iframe>"})
    )
    shown = await eventually(lambda: page("snapshot", text="Ask"))
    assert "Answered" in await page("click", ref=ref_in(shown, '"Ask"'))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_what_is_larger_than_the_page_in_a_frame_that_is_too(page, serve_site, host):
    large = "style='display:block;width:5000px;height:5000px'"
    pages = {"/": f"<body style='margin:0'><a {large} href=/to target=_parent>On", "/to": "Yes"}
    inner = str(serve_site(pages)).replace("127.0.0.1", host)
    frame = f"<h1>Shop</h1><iframe src='{inner}/' width=5000 height=5000></iframe>"
    await page("navigate", url=serve_site({"/": frame}))
    shown = await eventually(lambda: page("snapshot", text="On"))
    assert "/to" in await page("click", ref=ref_in(shown, 'link "On"'))


@pytest.mark.parametrize("style", ["iframe{zoom:2}", "html{zoom:3}", "iframe{scale:.5}"])
async def test_what_is_far_down_in_a_frame_that_is_drawn_larger_or_smaller(page, serve_site, style):
    gap = "<p style='height:900px'></p>"
    pages = {"/": f"{gap}<button onclick='this.textContent = `Meant`'>Go</button>{gap}"}
    pages["/other"] = f"<button style='{FILLING}' onclick='this.textContent = `Wrong`'>No</button>"
    site = serve_site(pages)
    frames = "".join(f"<iframe src='{site}{path}' height=200></iframe>" for path in ("/", "/other"))
    await page("navigate", url=serve_site({"/": f"<style>{style}</style>{frames}{gap}"}))
    shown = await eventually(lambda: page("snapshot", text="Go"))
    assert "Meant" in await page("click", ref=ref_in(shown, 'button "Go"'))


SHADOW = """<x-box></x-box><script>customElements.define("x-box", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "%s" });
    root.innerHTML = "<p>Before</p><iframe title=In src='%s'></iframe>";
  }
});</script><iframe title=Out src="/plain"></iframe>"""


@pytest.mark.parametrize("mode", ["open", "closed"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_frames_in_shadow_roots(page, serve_site, mode, host):
    button = "<button onclick='this.textContent = `Pressed`'>{}</button>"
    inner = str(serve_site({"/": button.format("FB")})).replace("127.0.0.1", host)
    pages = {"/": SHADOW % (mode, f"{inner}/"), "/plain": button.format("Plain")}
    await page("navigate", url=serve_site(pages))

    async def both():
        shown = await page("snapshot")
        return shown if "FB" in shown and "Plain" in shown else ""

    shown = await eventually(both)
    lines = [line.rsplit(" ", 1)[0] for line in shown.splitlines()[-4:]]
    assert lines == ["iframe", '  button "FB"', "iframe", '  button "Plain"']
    ref = shown.splitlines()[-3].split()[-1]
    assert "Pressed" in await page("click", ref=ref) + await page("snapshot")


async def test_a_frame_whose_document_has_not_come_says_so(page, framed):
    await page("navigate", url=f"{framed}/silent", timeout=25)
    assert "iframe loading" in await page("snapshot", timeout=25)
    await page.open("frames.html")
    assert "loading" not in await page("snapshot")
    await page("evaluate", text="document.body.append(document.createElement('iframe')); 0")
    assert "loading" not in await page("snapshot")


async def test_what_strap_does_in_a_frame_without_scripts_is_no_error_of_the_page(page):
    frame = '<iframe sandbox srcdoc="<button>Still</button>"></iframe>'
    await page.show(frame)
    assert "Clicked" in await page("click", selector="iframe >> button")
    assert "Blocked script" not in await page("console")


@pytest.mark.soak
async def test_a_frame_that_goes_is_shown_or_what_comes_for_it(page, serve_site):
    """It is looked at anew where a frame went meanwhile."""
    routes = {"/": "<title>Frame</title><div id=d></div>", "/in": "<button>Inner</button>"}
    await page("navigate", url=str(serve_site(routes)))
    for number in range(40):
        await page(
            "evaluate",
            text="""new Promise((told) => { const f = document.createElement("iframe");
          f.onload = () => told(1); f.src = "/in"; d.replaceChildren(f) })""",
        )
        await page(
            "evaluate",
            text=f"""(() => {{ const {{ port1, port2 }} = new MessageChannel();
          const end = performance.now() + {3 + number % 10};
          port1.onmessage = () => performance.now() < end ? port2.postMessage(0)
            : d.replaceChildren("Saved");
          port2.postMessage(0) }})()""",
        )
        shown = await page("snapshot")
        assert "Inner" in shown or "Saved" in shown
        await page("wait", text="Saved")


SANDBOXED = """<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="
<a href='/confirm' target=_blank>Confirm</a> <a href='/confirm'>Here</a>"></iframe>"""
HIDDEN = "Who asks does not say where it comes from, as a sandboxed frame or page (`sandbox`)"


@pytest.mark.parametrize("link", ["Confirm", "Here"])
async def test_why_a_sandboxed_frame_leads_nowhere(page, serve_site, link):
    site = serve_site({"/": SANDBOXED, "/confirm": "<title>Confirmed</title>"})
    await page("navigate", url=site)
    await page.until(f'"{link}"')
    answer = await page("click", ref=await page.ref(f'"{link}"'))
    assert answer.count(HIDDEN) == 1
    assert "/confirm" not in [request.path for request in site.requests]
