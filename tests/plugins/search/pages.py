"""Search engines as sites: the pages that DuckDuckGo and Startpage answer with, written anew."""

import json
from collections.abc import Callable, Iterable
from html import escape
from itertools import count

from tests.site.tlsproxy import Site, SiteReply, SiteRequest

NOTHING = "<html><body><div class='no-results'>No  results.</div></body></html>"
CHALLENGE = """<html><head><title>DuckDuckGo</title></head><body>
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?cc=botnet" method="POST">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
</form></body></html>"""
SC = "startpage-token"


def link(number: int) -> str:
    """The URL of result `number`: one that a decoding client would change into another."""
    return f"https://site{number}.example/a%2Fb/c%20d?next=%2Flogin%3Fx%3D1%26y%3D2&q=C%2B%2B"


def result(number: int, href: str | None = None, snippet: str | None = None, date: str = "") -> str:
    """One organic result of html.duckduckgo.com; with `snippet=""` it has none."""
    date = f"<span>&nbsp; &nbsp; {date}</span>" if date else ""
    href = escape(href or link(number))
    snippet = f"Snippet <b>{number}</b> &amp; more" if snippet is None else snippet
    quote = f'<a class="result__snippet" href="{href}">{snippet}</a>' if snippet else ""
    return f"""<div class="result results_links results_links_deep web-result ">
<div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">Title {number}</a></h2>
<div class="result__extras"><div class="result__extras__url">
<a class="result__url" href="{href}">site{number}.example</a>{date}</div></div>
{quote}<div class="clear"></div></div></div>"""


def ad(number: int, href: str) -> str:
    """An advertisement, marked as one."""
    return result(number, href).replace(" web-result", " result--ad")


def form(offset: int, vqd: str, button: str) -> str:
    """The form behind "Next" or "Previous"."""
    fields = {
        "q": "any",
        "s": offset,
        "nextParams": "",
        "v": "l",
        "o": "json",
        "dc": offset + 1,
        "api": "d.js",
        "vqd": vqd,
        "kl": "us-en",
    }
    inputs = "".join(f'<input type="hidden" name="{k}" value="{v}"/>' for k, v in fields.items())
    return f"""<div class="nav-link"><form action="/html/" method="post">
<input type="submit" class="btn btn--alt" value="{button}"/>{inputs}</form></div>"""


def ddg_page(results: Iterable[str], *forms: str) -> str:
    """A page of results."""
    return f"""<!DOCTYPE html><html><head><title>any at DuckDuckGo</title></head><body>
<form id="search_form_homepage_top" action="/html/"><input name="q" value="any"/></form>
<div class="serp__results"><div id="links" class="results">{"".join(results)}</div></div>
{"".join(forms)}</body></html>"""


def duckduckgo(total: int) -> Site:
    """html.duckduckgo.com with `total` results: 10 on the first page, 15 on each later one.

    Later pages are for those who send the token of the page before, under the same identity.
    """
    agents: dict[str, str] = {}
    tokens = count()

    def site(request: SiteRequest) -> SiteReply:
        assert (request.method, request.host, request.path) == (
            "POST",
            "html.duckduckgo.com",
            "/html/",
        )
        offset, agent = int(request.form.get("s", 0)), request.headers["user-agent"]
        if offset and agents.get(request.form.get("vqd", "")) != agent:
            return SiteReply(status=403)
        vqd = f"4-{next(tokens)}"
        agents[vqd] = agent
        end = min(total, offset + (15 if offset else 10))
        if offset >= end:
            return SiteReply(body=NOTHING)
        forms = [form(end, vqd, "Next")] if end < total else []
        if offset:
            forms.insert(0, form(0, vqd, "Previous"))
        return SiteReply(body=ddg_page((result(n) for n in range(offset + 1, end + 1)), *forms))

    return site


def startpage_result(number: int, href: str | None = None) -> str:
    """One result of Startpage."""
    href = escape(href or link(number))
    return f"""<div class="result css-z73qjy"><a class="result-title" href="{href}">
<h2>Title {number}</h2></a><p class="description">Snippet <b>{number}</b></p></div>"""


def startpage(total: int) -> Site:
    """www.startpage.com with `total` results, 10 a page, for those who fetched its token."""

    def site(request: SiteRequest) -> SiteReply:
        assert request.host == "www.startpage.com"
        search = f'<form id="search"><input type="hidden" name="sc" value="{SC}"/></form>'
        if request.method == "GET":
            return SiteReply(body=f"<html><body>{search}</body></html>")
        if request.form["sc"] != SC:
            return SiteReply(status=303, headers={"Location": "/sp/captcha-block?bc=XX"})
        start = 10 * (int(request.form.get("page", 1)) - 1)
        numbers = range(start + 1, min(total, start + 10) + 1)
        advert = startpage_result(0, "https://www.google.com/aclk?sa=L&ai=1")
        results = "".join(map(startpage_result, numbers)) or "<p>Sorry, no results.</p>"
        return SiteReply(
            body=f"<html><body>{search}{advert if numbers else ''}{results}</body></html>"
        )

    return site


def news_item(number: int) -> dict[str, object]:
    """One entry of news.js, an hour older than the one before."""
    return {
        "date": 1_790_000_000 - 3600 * number,
        "excerpt": f"Excerpt <b>{number}</b> &amp; more",
        "relative_time": f"{number} hours ago",
        "source": "Example Times",
        "title": f"Title &quot;{number}&quot;",
        "url": link(number),
    }


def image_item(number: int) -> dict[str, object]:
    """One entry of i.js; every second picture is on the same page as the one before."""
    return {
        "title": f"Title &quot;{number}&quot;",
        "image": f"https://img.example/{number}.jpg",
        "thumbnail": f"https://tse.example/{number}",
        "url": link(number - number % 2),
        "width": 640,
        "height": 480,
        "source": "Bing",
    }


def duckduckgo_images(total: int) -> Site:
    """The same with images."""
    return _listing(total, "/i.js", image_item)


def duckduckgo_news(total: int) -> Site:
    """duckduckgo.com with `total` news, 30 a page, for who got the token of the query."""
    return _listing(total, "/news.js", news_item)


def _listing(total: int, route: str, item: Callable[[int], dict[str, object]]) -> Site:
    agents: dict[str, str] = {}

    def site(request: SiteRequest) -> SiteReply:
        assert (request.method, request.host) == ("GET", "duckduckgo.com")
        agent, words = request.headers["user-agent"], request.query["q"]
        vqd = f"4-{sum(words.encode())}"
        if request.route == "/":
            agents[vqd] = agent
            return SiteReply(body=f'<html><script>x={{vqd="{vqd}",y:1}};</script></html>')
        assert request.route == route
        if agents.get(request.query.get("vqd", "")) != agent or request.query["vqd"] != vqd:
            return SiteReply(status=403)
        start = int(request.query.get("s", 0))
        end = min(total, start + 30)
        data: dict[str, object] = {"results": [item(n + 1) for n in range(start, end)]}
        if end < total:
            data["next"] = f"{route[1:]}?q=any&vqd={vqd}&s={end}&o=json"
        return SiteReply(
            body=json.dumps(data), headers={"Content-Type": "application/x-javascript"}
        )

    return site


def always(reply: SiteReply) -> Site:
    """A site that answers every request alike."""
    return lambda _: reply
