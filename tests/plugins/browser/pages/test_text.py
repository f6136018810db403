"""Reading the text of pages."""

import re

import pytest

from strap_browser.actions import observe

from .conftest import ref_in

pytestmark = pytest.mark.anyio

SEEN, UNSEEN = "style='visibility: visible'", "style='visibility: hidden'"


@pytest.fixture
def page(one_page):
    return one_page


async def test_markdown(page):
    await page("navigate", url=f"{page.site}/text")
    assert await page("text") == (
        f'"Text" {page.site}/text\n'
        "# One\n\n"
        "Some bold words and [a link](/there).\nNext line\n\n"
        "- First\n  - Inner\n- Second\n\n"
        "3. Third\n\n"
        "```\na\n  b\n```\n\n"
        "| Id | Name |\n| --- | --- |\n| 1 | Ada |\n\n"
        "typed [A picture]"
    )


async def test_hidden_text_is_not_read(page):
    await page.open("hidden.html")
    assert (await page("text")).splitlines()[1:] == ["Plain words"]


async def test_what_is_drawn_without_markdown(page):
    await page("navigate", url=f"{page.site}/text")
    assert await page("text", value="plain") == (
        "Texts: 2.\n"
        "One Some bold words and a link. Next line First Inner Second Third a b Id Name 1 Ada\n"
        "typed"
    )
    assert await page("text", value="plain", selector="li >> nth=0") == "Texts: 1.\nFirst Inner"
    assert await page("text", value="plain", selector="td") == "Texts: 2.\n1\nAda"
    assert await page("text", value="plain", selector="video") == "Texts: 0."
    assert (await page.fails("text", value="plain", selector="[")).code == "bad_selector"
    for fields, words in (({"value": "html"}, "nothing to read"), ({"ref": "e1"}, "leave ref out")):
        assert words in (await page.fails("text", **{"value": "plain"} | fields)).message


@pytest.mark.parametrize("start", [0, 7])
async def test_of_much_that_is_drawn_it_is_told_how_to_go_on(page, start):
    await page.open("form.html")
    words = "document.body.innerHTML = '<p>' + 'many words '.repeat(2000); 0"
    await page("evaluate", text=words)
    first, text, more = (await page("text", value="plain", max_tokens=200, start=start)).split("\n")
    assert (first, text[:4]) == ("Texts: 1, but there is more.", ["many", "rds "][start > 0])
    ends = start + len(text)
    assert more == f"… {21_999 - ends:,} more characters: start={ends}"


NESTED = """<main id=a> One <div id=b><p>two</p><input value=three></div> four
<div id=c hidden>no <p>never</p></div></main><p>five</p>"""


async def test_what_is_in_several_elements_is_told_of_each(page):
    await page.show(NESTED)
    told = await page("text", value="plain", selector="main, div, p")
    assert told.split("\n") == [
        *("Texts: 6.", "One two four", "three", "two", "three", "two", "five")
    ]


@pytest.mark.parametrize("selector", ["div", "div, b", None])
async def test_no_more_is_told_of_a_page_than_there_is_room_for(page, monkeypatch, selector):
    monkeypatch.setattr(observe, "ROOM", 5_000)
    await page.show("<div>" * 40 + "<b>many words </b>" * 300 + "</div>" * 40)
    given = {"selector": selector} if selector else {}
    data = (await page.result("text", value="plain", max_tokens=100_000, **given)).data
    whole = selector is None
    assert data["whole"] is whole
    lengths = [len(text) for text in data["texts"]]
    assert lengths == ([3_299] if whole else [3_299, 1_701])


async def test_frames_share_the_room(page, monkeypatch):
    monkeypatch.setattr(observe, "ROOM", 100)
    frame = f"<iframe srcdoc='{'word ' * 9}'></iframe>"
    await page.show(f"<p>{'w' * 20}</p>{frame}")
    data = (await page.result("text", value="plain")).data
    assert (data["whole"], len("".join(data["texts"]))) == (True, 64)
    await page.show(f"<p>{'w' * 20}</p>{frame * 4}")
    data = (await page.result("text", value="plain")).data
    assert (data["whole"], len("".join(data["texts"]))) == (False, 100)


async def test_when_time_is_over_it_is_told_that_there_is_more(page, monkeypatch):
    monkeypatch.setattr(observe, "LOOK_LIMIT", 0)
    await page.show("<p>Some</p>")
    assert await page("text", value="plain", selector="p") == "Texts: 0, but there is more."


@pytest.mark.parametrize(
    ("html", "read"),
    [
        (
            (
                f"<div {UNSEEN}>no <input value=no><img alt=no><br><a href=/x>no</a>"
                f"<p><b {SEEN}>yes</b>no<b {SEEN}>too</b></p></div>"
            ),
            ["yes too"],
        ),
        (f"<table><tr {UNSEEN}><td>no<td><b {SEEN}>yes</b></table>", ["yes"]),
        (f"<table><tr><td {UNSEEN}>no<td>yes</table>", ["| | yes |"]),
        ("<details><summary>Yes</summary>no <b>no</b></details>", ["Yes"]),
        (
            (
                "<style>details::details-content { content-visibility: visible }</style>"
                "<details><summary>Yes</summary>too</details>"
            ),
            ["Yes", "too"],
        ),
        ("<details open><summary>Yes</summary>too</details>", ["Yes", "too"]),
        ("<svg><defs><text>no</text></defs><text y=9>yes</text></svg>", ["yes"]),
        ("<svg><mask><text>no</text></mask><text y=9>yes</text></svg>", ["yes"]),
        ("To <select><option>Peru<option selected>Chile</select> by", ["To Chile by"]),
        (
            "<button>Go</button><button>Stop</button><input value=5><input value=6>",
            ["Go Stop 5 6"],
        ),
        ("To <select hidden><option>Peru</select> there", ["To there"]),
        (
            "<select multiple><option>Peru<option label=Chile>CL<option hidden>no</select>",
            ["Peru", "Chile"],
        ),
        (
            "<div style='white-space: pre-line'>one\n  two <b>three\nfour</b>",
            ["one", "two three", "four"],
        ),
        ("<p>one\n  two <b>three\nfour</b>", ["one two three four"]),
        ("<div style='white-space: pre'>if:\n  so", ["if:", "  so"]),
    ],
)
async def test_what_is_drawn_is_read(page, html, read):
    await page.show(html)
    assert [line for line in (await page("text")).splitlines()[1:] if line] == read


async def test_element(page):
    opened = await page.open("rerender.html")
    assert await page("text", ref=ref_in(opened, 'button "Save"')) == "Save"
    assert await page("text", selector="#root") == "Item\n\nSave Cancel"


async def test_frames_and_shadow(page):
    await page.open("frames.html")
    assert (await page("text")).count("Words of the frame") == 2
    await page.open("shadow.html")
    assert "Nick" in await page("text")


async def test_long_text_is_read_in_parts(page, o200k):
    await page.open("article.html")
    whole = (await page.result("text", max_tokens=100_000)).text.split("\n", 1)[1]
    read, start = "", 0
    for _ in range(30):
        answer = await page("text", start=start)
        assert len(o200k.encode(answer)) <= 2_500
        body = answer.split("\n", 1)[1]
        following = re.search(r"\n… [\d,]+ more characters: start=(\d+)$", body)
        if following is None:
            read += body
            break
        read += body[: following.start()]
        start = int(following[1])
    assert re.sub(r"\s+", " ", read).replace(" ", "") == re.sub(r"\s+", "", whole)
    assert "The text ends at" in await page("text", start=10**6)


NUMBERED = """<ol start=7><li>seven<li value=20>twenty<li>after</ol><ol reversed><li>two<li>one</ol>
<ol type=i start=4><li>four</ol><ol><li>plain</ol><ol style="list-style:none"><li>bare</ol>"""


async def test_numbers_of_lists_are_those_that_are_drawn(page):
    await page.show(NUMBERED)
    assert (await page("text")).split("\n", 1)[1].split("\n\n") == [
        "7. seven\n20. twenty\n21. after",
        "2. two\n1. one",
        "iv. four",
        "1. plain",
        "- bare",
    ]
    # Where the place of an item tells its number, a snapshot does without.
    assert (await page("snapshot")).splitlines()[1:] == [
        *("7. seven", "20. twenty", "21. after", "2. two", "1. one", "iv. four"),
        *("- plain", "- bare"),
    ]


async def test_what_is_struck_out_is_told_as_such(page):
    await page.show("<p>Was <del>$120</del> <s>$110</s> <ins>$99</ins></p>")
    assert "Was ~~$120~~ ~~$110~~ $99" in await page("text")


async def test_what_a_dialog_bars_is_read_with_it(page):
    behind = "<p>Rye is ground here.</p><a href=/rye>Rye</a><i aria-hidden=true>wheel</i>"
    dialog = "<div role=dialog aria-modal=true><p>We use cookies.</p></div>"
    await page.show(f"<main aria-hidden=true>{behind}</main>{dialog}")
    read = (await page("text")).splitlines()
    assert read[1:] == ["Rye is ground here.", "", "[Rye](/rye)", "", "We use cookies."], read


async def test_what_goes_round_is_read_once(page):
    links = "".join(f"<a href=/{n}>News of the {n}th lamp</a> " for n in range(3))
    row, track = "style='display:flex;overflow:hidden;width:600px'", "style='flex:none'"
    tracks = f"<p {track}>{links}</p><p {track} aria-hidden=true>{links}</p>"
    await page.show(f"<div {row}>{tracks}</div>")
    assert [(await page("text")).count(f"the {n}th lamp") for n in range(3)] == [1, 1, 1]


async def test_slides_are_read_once(page):
    def slide(number, hidden="aria-hidden=true"):
        style = "style='flex:none;width:600px'"
        return f"<div {style} {hidden}><a href=/{number}>Slide {number}</a></div>"

    slides = slide(3) + slide(1, "") + slide(2) + slide(3) + slide(1) + slide(2)
    track = f"<div style='display:flex;transform:translateX(-600px)'>{slides}</div>"
    await page.show(f"<div style='overflow:hidden;width:600px'>{track}</div>")
    read = (await page("text")).split("\n", 1)[1].split()
    assert read == ["[Slide", "1](/1)", "[Slide", "2](/2)", "[Slide", "3](/3)"]
