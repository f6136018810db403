"""Parts within a main text that are left out: counted by kind, and told with the share."""

import pytest

from strap_http.extraction.pages import SMALL, read_page
from tests.plugins.http.prose import prose
from tests.site.server import serve

pytestmark = pytest.mark.anyio

COMMENTS = "".join(
    f'<div class="comment"><b>Ann {at}</b><p>{prose(40 + at)}</p></div>' for at in range(7)
)
LINKS = "<ul>" + "".join(f"<li><a href=/o/{at}>Another mill {at}</a></li>" for at in range(9))
BOX = f"<section class=comments><h2>Comments</h2>{COMMENTS}</section>"
FORM = "<form action=/a><p>Tell the miller what you think</p><input name=t></form>"
RELATED = f"<div class=related><h2>Related</h2>{LINKS}</ul></div>"
CAPTION = "The mill beside the river in the spring of the year 1899, by A. Brown"
FIGURE = f"<figure><img src=/a.png><figcaption>{CAPTION}</figcaption></figure>"
LAST = "The gate takes the water of the ford at noon, and the wheel moves the rest of it."
PARTS = {BOX: "7 comments", FORM: "1 form", RELATED: "1 list of links", FIGURE: "1 caption"}


def page(piece):
    before = "".join(f"<p>{prose(number)}</p>" for number in range(1, 12))
    after = "".join(f"<p>{prose(number)}</p>" for number in range(12, 20))
    texts = (before, after, piece) if "<section" in piece else (before, piece, after)
    text = f"<h1>The mill</h1>{''.join(texts)}"
    return f"<title>The mill</title><nav><a href=/n>News</a></nav><main>{text}</main>"


@pytest.mark.parametrize(("piece", "count"), PARTS.items(), ids=PARTS.values())
def test_a_part_that_is_left_out_is_counted(piece, count):
    assert read_page(page(piece), "https://example.com/").missing == count


def test_parts_are_counted_together():
    counts = read_page(page("".join(PARTS)), "https://example.com/").missing
    assert sorted(counts.split(", ")) == sorted(PARTS.values())


@pytest.mark.parametrize(
    "piece",
    [
        "<pre>toll = 4 * carts</pre>",
        "<table><tr><th>Year<th>Pence<tr><td>1700<td>4</table>",
        "<p>The mill was sold.</p>",
        '<div class="comment">Keep the sluice shut while the wheel is taken out.</div>',
    ],
)
def test_of_a_text_that_stays_nothing_is_counted(piece):
    assert read_page(page(piece), "https://example.com/").missing == ""


def test_a_body_named_by_its_comments_hides_no_count():
    body = page(RELATED).replace("<main>", '<main class="comment-open">')
    assert read_page(body, "https://example.com/").missing == "1 list of links"


async def test_the_answer_tells_what_is_left_out(web):
    padding = "<!-- -->" * (SMALL // 8)  # a small page is shown whole
    with serve({"/": page(BOX) + padding}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/", max_tokens=300)
    lines = result.text.splitlines()
    assert lines[1].endswith("; left out: 7 comments; value=page shows the whole page.")


def test_the_first_and_last_of_many_alike_stay_as_the_others_do():
    members = "".join(
        f"<section><h3>resizeGate{at}</h3><div class=member-signature><span>public</span>&nbsp;"
        f"<span><a href=W.html>Gate</a></span>&nbsp;<span>resizeGate{at}</span>(int&nbsp;delta{at})"
        f"</div><div>{prose(at) if at % 3 and at < 12 else LAST}</div></section>"
        for at in range(13)
    )
    page = f"<title>Mill</title><main><article><h1>Mill</h1>{members}</article></main>"
    text = read_page(page, "https://example.com/").text
    assert all(f"delta{at}" in text for at in range(13))
