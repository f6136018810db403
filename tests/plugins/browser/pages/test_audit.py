"""Audit of pages: planted faults, and pages that have none."""

import re
import time

import pytest

from strap import count_tokens, testing
from tests.site.certificates import Authority
from tests.site.server import Reply, Request, serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio

GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
HEAD = "<!doctype html><html lang=en><title>Page</title><h1>Page</h1>"
FAULTS = {
    "name": f"{HEAD}<button id=x><svg width=9 height=9></svg></button>",
    "name of a link": f"{HEAD}<a id=x href=/><i style='padding:9px'>\u200b</i></a>",
    "label": f"{HEAD}Name <input id=x>",
    "label of another field": f"{HEAD}<label for=y>Note</label><textarea id=x></textarea>",
    "alt": f"{HEAD}<img id=x src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=50 height=50>",
    "keyboard": f"{HEAD}<div id=x onclick='go()'>Open the menu</div>",
    "hidden focus": f"{HEAD}<div aria-hidden=true><button id=x>Go</button></div>",
    "contrast": f"{HEAD}<p id=x style='color:#aaa'>Pale words",
    "contrast of a large one": f"{HEAD}<p id=x style='color:#a5a5a5;font-size:30px'>Pale words",
    "contrast through opacity": f"{HEAD}<div style='opacity:.4'><p id=x>Pale words</div>",
    "lang": "<!doctype html><title>Page</title><h1>Page</h1>",
    "title": "<!doctype html><html lang=en><h1>Page</h1>",
    "zoom": f"{HEAD}<meta name=viewport content='width=device-width, user-scalable=no'>",
    "frame": f"{HEAD}<iframe id=x srcdoc='<html lang=en><title>A</title>'></iframe>",
    "tabindex": f"{HEAD}<button id=x tabindex=3>Go</button>",
    "target": f"{HEAD}<button id=x style='width:12px;height:12px;padding:0;border:0'>a</button>"
    "<button style='width:12px;height:12px;padding:0;border:0'>b</button>",
    "target in a menu": f"{HEAD}<nav style='width:60px;font:12px/14px serif'><a id=x href=#b>Menu"
    "</a> | <a href=#b>Books</a></nav><h2 id=b>Part</h2>",
    "heading": f"{HEAD}<h3 id=x>Deep</h3>",
    "empty heading": f"{HEAD}<h2 id=x style='height:20px'></h2>",
    "h1": "<!doctype html><html lang=en><title>Page</title><h2>Part</h2>",
    "image": f"{HEAD}<img id=x src=/none.png alt=Logo width=40 height=40>",
    "anchor": f"{HEAD}<a id=x href=#nowhere>Part</a>",
    "link": f"{HEAD}<a id=x href=/gone>Gone</a>",
    "console": f"{HEAD}<script>console.error('It broke')</script>",
    "cookie": f"{HEAD}<script>document.cookie = 'session_id=1'</script>",
}
CLEAN = {
    "a form": f"{HEAD}<form><label>Name <input></label><label for=a>Mail</label><input id=a>"
    "<input type=submit><button aria-label=Search>Go and find</button></form>",
    "words on a dark ground": f"{HEAD}<div style='background:#222;color:#eee'><p>Words</p></div>",
    "words on a picture": f"{HEAD}<div style='background:linear-gradient(#000, #111)'>"
    "<p style='color:#fff'>Words</p></div>",
    "what is switched off": f"{HEAD}<button disabled style='color:#ccc'>Off</button>",
    "a decoration": f"{HEAD}<img alt='' src='{GIF}'>",
    "links in a text": f"{HEAD}<p style='font-size:11px'>Some <a href=#b>words</a> and "
    "<a href=#b>more</a> of them in a long line of text.</p><h2 id=b>Part</h2>",
    "a small one with room": f"{HEAD}<button style='width:16px;height:16px;padding:0;margin:20px'>"
    "a</button><button style='margin:20px'>Other</button>",
    "a link in a byline": f"{HEAD}<p style='font-size:11px'>By <span><a href=#b>Ada Lovelace</a>"
    f"</span> in <a href=#b>Engines {'of many long years ' * 20}</a></p><h2 id=b>Part</h2>",
    "a link beside one of two lines": f"{HEAD}<p style='width:180px;font:12px/30px serif'><b "
    "style='display:inline-block'><a href=#b>Ada</a></b> <a href=#b style='font-size:16px'>Engines"
    " of all kinds and many others</a></p><h2 id=b>Part</h2>",
    "a summary": f"{HEAD}<details><summary>More</summary><p>Text</details>",
    "boxes": f"{HEAD}<label><input type=checkbox> One</label><label><input type=radio> Two</label>",
    "what is hidden": f"{HEAD}<div hidden><button></button><img src='{GIF}'><input></div>",
    "parts of an application": f"{HEAD}<a href='#/orders'>Orders</a><a href=#top>Up</a>",
    "a custom control": f"{HEAD}<div role=button tabindex=0 onclick='1'>Go there</div>",
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_found(one_page, serve_site, fault):
    site = serve_site({"/": FAULTS[fault], "/gone": Reply(status=404, body="<title>Gone</title>")})
    await one_page("navigate", url=site)
    result = await one_page.result("audit")
    rule = re.split(" of | through | in ", fault)[0]
    found = {one["rule"]: one for one in reversed(result.data["findings"])}
    assert rule in found, result.text
    if "id=x" in FAULTS[fault]:
        ref = found[rule]["ref"]
        assert ref in result.text
        element = "(element) => element.id"
        assert await one_page("evaluate", text=element, ref=ref) == '"x"'


@pytest.mark.parametrize("page_name", CLEAN)
async def test_a_clean_page_has_none(one_page, serve_site, page_name):
    await one_page("navigate", url=serve_site({"/": CLEAN[page_name]}))
    await one_page("cookies", value="clear")
    answer = await one_page("audit")
    assert answer.splitlines()[0] == "Nothing was found.", answer


async def test_twenty_findings_at_most_and_a_part(one_page, serve_site):
    parts = "".join(f"<p style='color:#bbb'>Pale {n}</p><img src=/x{n}.png>" for n in range(500))
    html = f"<!doctype html>{parts}<main><button></button></main><p tabindex=2>A</p>"
    await one_page("navigate", url=serve_site({"/": html}))
    answer = await one_page("audit")
    lines = [line for line in answer.splitlines()[1:] if line[0] != "…"]
    assert len(lines) <= 21
    assert count_tokens(answer) < 1_500
    assert lines[0].startswith("no name (WCAG 4.1.2)")
    part = await one_page("audit", selector="main", value="a11y")
    assert re.match(r"1 finding, the worst first:\nno name .* e\d+: give it text .*", part)


async def test_speed_is_what_the_browser_measured(one_page, serve_site):
    words = "<p>Words that are pushed away by what comes late.</p>" * 20
    late = f"<div id=d>{words}</div><script>setTimeout(() => {{"
    html = f"{HEAD}<p style='font-size:60px'>Large words</p>{late}"
    html += (
        " d.before(Object.assign(document.createElement('div'), {style: 'height:400px'}))}, 200)"
    )
    await one_page("navigate", url=serve_site({"/": f"{html}</script><p>After it</p>"}))
    await one_page("wait", value="1")
    answer = await one_page("audit", value="speed")
    assert re.search(r"Measured here: LCP [\d,]+ ms", answer)
    assert re.search(r"content jumps: .*\(0\.\d+\): give pictures and late parts", answer), answer


async def test_what_the_browser_measured_of_input_and_the_server(one_page, serve_site):
    def late(_: Request) -> str:
        time.sleep(0.9)  # the server that is asked about: 800 ms is good
        busy = "const end = performance.now() + 400; while (performance.now() < end);"
        return f"{HEAD}<button id=x onclick='{busy}'>Work</button>"

    await one_page("navigate", url=serve_site({"/": late}))
    await one_page("click", selector="#x")
    answer = await one_page("audit", value="speed")
    assert re.search(r'answers input late: button "Work" e\d+ \([4-9]\d\d ms\): do less', answer), (
        answer
    )
    assert re.search(r"server answers late \((9\d\d|[1-9],\d{3}) ms\): cache", answer), answer
    assert re.search(r"INP [\d,]+ ms, TTFB [\d,]+ ms", answer), answer


INSIDE = f"{HEAD}<button id=x><svg width=9 height=9></svg></button><p style='color:#bbb'>Pale</p>"


async def test_what_frames_show_is_audited_too(one_page, serve_site):
    other = str(serve_site({"/": INSIDE})).replace("127.0.0.1", "localhost")
    same = INSIDE.replace("<html lang=en><title>Page</title><h1>Page</h1>", "")
    pale = "<p style='color:#ddd'>On black"
    html = (
        f"{HEAD}<iframe title=Other src='{other}/'></iframe><iframe title=Same src=/same></iframe>"
        "<iframe title=Hidden src=/same style='display:none'></iframe><div style='background:#000'>"
        "<iframe title=Dark src=/dark></iframe></div>"
    )
    site = serve_site({"/": html, "/same": same, "/dark": f"<!doctype html>{pale}"})
    await one_page("navigate", url=site)
    result = await one_page.result("audit", value="a11y")
    # The colour behind a frame of another site is not known.
    assert [one["rule"] for one in result.data["findings"]] == ["name", "name", "contrast"]
    for one in result.data["findings"][:2]:
        assert re.fullmatch(r"f\d+e\d+", one["ref"])
        element = "(element) => element.id"
        assert await one_page("evaluate", text=element, ref=one["ref"]) == '"x"'
    part = await one_page.result("audit", selector="iframe[title=Same]", value="a11y")
    assert [one["rule"] for one in part.data["findings"]] == ["name", "contrast"]


async def test_http_content_in_an_https_page(tmp_path):
    authority = Authority(tmp_path)
    html = f"{HEAD}<img alt=A src=http://pictures.invalid/a.png><a href=http://other.invalid/>B</a>"
    plugins = {"browser": {**SETTINGS, "args": ["--ignore-certificate-errors"]}}
    with serve({"/": html}, tls=authority.context("127.0.0.1")) as site:
        async with testing.router(home=tmp_path, network="local", plugins=plugins) as web:
            page = Caller(web, site)
            await page("launch")
            await page.open("/")
            findings = (await page.result("audit", value="links")).data["findings"]
    mixed = [one for one in findings if one["rule"] == "mixed"]
    assert [one["what"] for one in mixed] == ["http://pictures.invalid/a.png"]
