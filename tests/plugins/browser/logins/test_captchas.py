"""Captchas on the way of a login are told where it stops: by calls, by scripts, by runs."""

import pytest

from strap import testing
from tests.site.server import serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller

pytestmark = pytest.mark.anyio
HEAD = "<!doctype html><meta charset=utf-8><title>Log in</title>"
FORM = (
    "<form action=/enter method=post><input name=user aria-label=User><input name=password"
    " type=password aria-label=Password>{}<button>Log in</button></form>"
)
FRAME = "<iframe src='{}' title='{}' width=304 height=78></iframe>"
SHAPES = {
    "reCAPTCHA": FRAME.format("/recaptcha/api2/anchor?ar=1&amp;size=normal", "reCAPTCHA"),
    "hCaptcha": FRAME.format(
        "/captcha/v1/static/hcaptcha.html#frame=checkbox",
        "Widget containing checkbox for hCaptcha security challenge",
    ),
    "Turnstile": FRAME.format(
        "/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/light",
        "Widget containing a Cloudflare security challenge",
    ),
    "of its own": "<img src=/captcha.png width=120 height=40><input name=captcha_code>",
}
CLOSED = """<div class=cf-turnstile style='width:300px;height:65px' id=host></div>
<input type=hidden name=cf-turnstile-response><script>
host.attachShadow({mode: "closed"}).innerHTML = "<iframe src=/anchor></iframe>"</script>"""
OPEN = """<div id=host></div><script>
host.attachShadow({mode: "open"}).innerHTML = `%s`</script>"""
NONE = {
    "plain": "",
    "invisible": FRAME.format("/recaptcha/api2/anchor?size=invisible", "reCAPTCHA"),
    "hidden": f"<div style='display:none'>{SHAPES['hCaptcha']}</div>",
    "solved": f"{SHAPES['reCAPTCHA']}<textarea name=g-recaptcha-response>03AGdBq</textarea>",
    "words": "<p>We use reCAPTCHA and hCaptcha.</p><iframe src=/terms title=Terms></iframe>",
}
LATE = """<script>document.forms[0].onsubmit = (event) => {
  event.preventDefault();
  document.forms[0].insertAdjacentHTML("beforeend", `%s`);
}</script>"""
ARTICLE = """<form action=/search><input name=q aria-label=Search><button>Search</button></form>
<article><h1>CAPTCHA</h1><p>A test of who is human.</p><figure><a href=/file>
<img src=/Modern-captcha.jpg alt="A modern captcha" width=300 height=100></a>
<figcaption>A modern captcha</figcaption></figure>
<iframe src=/talk title="Talk: how captchas work" width=400 height=300></iframe></article>"""
WIDGET = "<!doctype html><title>Widget</title><p>I am human"
LARGE = "<p>Words and <b>more</b> words</p>" * 2000


@pytest.fixture(scope="module")
def site():
    pages = {f"/{name.replace(' ', '-')}": FORM.format(html) for name, html in SHAPES.items()}
    pages |= {f"/{name}": FORM.format(html) for name, html in NONE.items()}
    pages |= {
        "/article": ARTICLE,
        "/closed": FORM.format(CLOSED),
        "/shadow": OPEN % FORM.format(SHAPES["hCaptcha"]),
        "/framed": "<iframe src=/reCAPTCHA width=600 height=400></iframe>",
        "/large": FORM.format(SHAPES["Turnstile"]) + LARGE,
        "/late": FORM.format("") + LATE % SHAPES["reCAPTCHA"],
        "/next": FORM.format(""),
        "/enter": FORM.format(SHAPES["Turnstile"]),
    }
    routes = {path: HEAD + html for path, html in pages.items()}
    widgets = ("/recaptcha/api2/anchor", "/captcha/v1/static/hcaptcha.html", "/terms", "/anchor")
    widgets += ("/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/light", "/talk")
    with serve(routes | dict.fromkeys(widgets, WIDGET)) as running:
        yield running


@pytest.fixture(scope="module")
async def page(tmp_path_factory, anyio_backend, site):
    async with testing.router(
        home=tmp_path_factory.mktemp("home"), network="local", plugins={"browser": SETTINGS}
    ) as web:
        caller = Caller(web, site)
        await caller("launch")
        yield caller


def told(name):
    return f"The page has a captcha ({name}), not solved: a person has to, ask with `live text=…`."


async def test_an_article_about_captchas_has_none(page):
    assert "captcha (" not in await page.open("/article")
    assert "captcha (" not in await page("snapshot")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *((name.replace(" ", "-"), name) for name in SHAPES),
        *(("closed", "Turnstile"), ("shadow", "hCaptcha"), ("framed", "reCAPTCHA")),
        ("large", "Turnstile"),
    ],
)
async def test_a_captcha_is_told_when_the_page_is_opened_and_looked_at(page, path, name):
    assert told(name) in await page.open(path)
    assert told(name) in await page("snapshot", max_tokens=4000)


@pytest.mark.parametrize("path", NONE)
async def test_what_asks_nobody_is_not_told(page, path):
    assert "captcha (" not in await page.open(path)
    assert "captcha (" not in await page("snapshot")


@pytest.mark.parametrize(("path", "name"), [("late", "reCAPTCHA"), ("next", "Turnstile")])
async def test_a_captcha_that_comes_of_a_click_is_told_once(page, path, name):
    assert "captcha (" not in await page.open(path)
    assert told(name) in await page("click", ref='button "Log in"')
    assert "captcha (" not in await page("hover", ref='button "Log in"')
