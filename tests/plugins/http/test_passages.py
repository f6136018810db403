"""`text`: passages of a long document, with the place to read on from."""

import re
from contextlib import suppress

import pytest

from strap import ActionError, UsageError, count_tokens
from tests.heartbeat import beating
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

PLAIN = {"Content-Type": "text/plain; charset=utf-8"}
LINES = [f"Line {number} of a long text with some words." for number in range(3_000)]
LINES[700] = "# Opening hours"
LINES[701] = "The museum opens at nine; the Café opens\nat eight."
LINES[2_500] = "On Sundays the museum stays closed."
TEXT = "\n".join(LINES)


def long(text=TEXT):
    return Reply(headers=PLAIN, body=text)


async def find(web, site, text, **fields):
    return await web(resource="http", action="fetch", url=f"{site}/", text=text, **fields)


async def test_passages_name_where_to_read_on(web):
    with serve({"/": long()}) as site:
        result = await find(web, site, "MUSEUM")
        head, count, *passages = result.text.split("\n\n")
        assert head.startswith("200 text/plain")
        assert count == f"2 passages with 'MUSEUM' in {len(TEXT):,} characters:"
        starts = [int(re.match(r"\[start=(\d+)\] ", passage).group(1)) for passage in passages]
        assert [TEXT[start:].split("\n")[0] for start in starts] == [
            "The museum opens at nine; the Café opens",
            "On Sundays the museum stays closed.",
        ]
        further = await web(resource="http", action="fetch", url=f"{site}/", start=starts[1])
        assert further.text.split("\n\n")[1].startswith("On Sundays the museum")
        assert len(site.requests) == 1


async def test_words_may_be_apart_by_any_white_space(web):
    with serve({"/": long()}) as site:
        result = await find(web, site, "café opens at eight")
    assert "1 passage with 'café opens at eight'" in result.text
    assert "at eight." in result.text


async def test_a_heading_brings_the_text_below_it(web):
    with serve({"/": long()}) as site:
        result = await find(web, site, "opening hours")
    assert "# Opening hours\nThe museum opens" in result.text


async def test_words_that_are_not_in_a_row_are_found_in_one_paragraph(web):
    text = "First.\n\nThe price of one ticket.\n\nA ticket.\n\nThe price."
    with serve({"/": long(text)}) as site:
        result = await find(web, site, "ticket price")
    assert "1 passage with all the words of 'ticket price'" in result.text
    assert result.text.endswith("[start=8] The price of one ticket.")


HANDBOOK = "\n\n".join(
    (
        *(
            f"The guild met in year {n} and spoke of rye, of the river and of rules."
            for n in range(30)
        ),
        "## Tickets",
        "A ticket costs five crowns, children pay two.",
        "The mill closes for a week when the river freezes.",
        *(f"The guild met in year {n} and of the weather and the price of rye." for n in range(30)),
    )
)


async def test_where_no_place_has_all_the_words_those_with_the_most_come_best_first(web):
    with serve({"/": long(HANDBOOK)}) as site:
        result = await find(web, site, "what do tickets cost for children")
        assert "No place has all the words of 'what do tickets cost for children' in" in result.text
        assert "with the most, best first:" in result.text
        first, *_ = result.data["passages"]
        assert first["text"].startswith("## Tickets\n\nA ticket costs five crowns")
        assert HANDBOOK[first["start"] :].startswith("## Tickets")
        assert result.data["next_start"] is None
        none = await find(web, site, "zebra quagga okapi price")
        assert "'zebra quagga okapi price' does not occur in it" in none.text
        assert none.data["passages"] == []


async def test_the_nearest_passages_keep_to_their_budget_in_a_text_without_breaks(web):
    with serve({"/": long("hay " * 20_000 + "a needle lies here " + "hay " * 20_000)}) as site:
        result = await find(web, site, "needle stack", max_tokens=200)
    assert "needle lies here" in result.text
    assert count_tokens(result.text) <= 240


async def test_markup_does_not_hide_a_passage(web):
    with serve({"/": "<p>Read <b>all</b> about <a href=/x>our offers</a> here."}) as site:
        result = await find(web, site, "all about our offers")
    assert "1 passage with all the words" in result.text


async def test_nothing_found_says_so(web):
    with serve({"/": long()}) as site:
        result = await find(web, site, "zebra")
        assert f"'zebra' does not occur in it ({len(TEXT):,} characters)." in result.text
        behind = await find(web, site, "museum", start=len(TEXT) - 50)
        assert "does not occur in the characters from" in behind.text
        assert len(site.requests) == 1
    assert not result.is_error


@pytest.mark.parametrize("max_tokens", [100, 300, 1_000])
async def test_many_hits_are_walked_through_in_bounded_answers(web, max_tokens):
    text = "\n".join(f"Entry {number}: needle {'hay ' * 60}" for number in range(40))
    with serve({"/": long(text)}) as site:
        seen, start = [], 0
        while start is not None:
            result = await find(web, site, "needle", start=start, max_tokens=max_tokens)
            assert count_tokens(result.text) <= max_tokens * 1.2 + 20
            seen += re.findall(r"Entry (\d+):", result.text)
            start = result.data["next_start"]
            assert (start is None) == ("Next: the same call with start=" not in result.text)
        assert len(site.requests) == 1
    assert seen == [str(number) for number in range(40)]


async def test_a_text_without_line_breaks(web):
    text = f"{'x ' * 50_000}needle{' y' * 50_000}"
    with serve({"/": long(text)}) as site:
        result = await find(web, site, "needle")
    assert len(result.text) < 1_000
    assert "x needle y" in result.text


async def test_other_characters_are_taken_as_they_are(web):
    with serve({"/": long("a (b) [c] .* d")}) as site:
        assert "1 passage" in (await find(web, site, "[c] .*")).text
        assert "does not occur" in (await find(web, site, ".+")).text


async def test_text_goes_with_words_only_and_not_with_output(web):
    with serve({"/": long()}) as site:
        with pytest.raises(UsageError, match="text is empty"):
            await find(web, site, "  ")
        with pytest.raises(UsageError, match="neither with start, text"):
            await find(web, site, "a", output="a.txt")
        assert site.requests == []


ARTICLE = "".join(
    f"<p>In year {n} the mill at the ford ground {n * 7} sacks of rye for the people of the valley."
    for n in range(1, 120)
)
PAGE = (
    "<!doctype html><title>The mill</title><body><nav><ul>"
    + "".join(f"<li><a href=/{n}>Section {n} of this site</a>" for n in range(60))
    + f"</ul></nav><main><article>{ARTICLE}</article></main>"
    + "<footer><p>Write to the miller at any time, Mondays excepted</p></footer>"
)


async def test_the_whole_page_is_searched_where_the_main_part_has_nothing(web):
    with serve({"/": PAGE}) as site:
        assert "1 passage with 'year 60 the' in" in (await find(web, site, "year 60 the")).text
        result = await find(web, site, "to the miller")
        assert "of the whole page, none in its main part; read on with value=page:" in result.text
        assert "Write to the miller at any time" in result.text
        start = int(re.search(r"\[start=(\d+)\]", result.text).group(1))
        call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
        further = await web(**call, value="page", start=start)
        assert further.text.split("\n\n")[1].startswith("Write to the miller")
        nowhere = await find(web, site, "zebra")
        assert "'zebra' does not occur in the whole page" in nowhere.text
        assert "value=page" not in nowhere.text
        assert len(site.requests) == 3


async def test_many_hits_beside_the_main_part(web):
    with serve({"/": PAGE}) as site:
        result = await find(web, site, "of this site", max_tokens=150)
        note = re.search(r"Next: the same call with value=page and start=(\d+)\]", result.text)
        assert int(note.group(1)) == result.data["next_start"]
        more = await find(web, site, "of this site", start=int(note.group(1)), value="page")
        assert "passages with 'of this site'" in more.text
        assert len(site.requests) == 1


async def test_a_search_that_would_take_long_stops_nothing_else(web):
    many = " ".join(["a"] * 450)
    words = " ".join(f"w{number}" for number in range(150))
    with serve({"/": long("a " * 1_000_000)}) as site:
        async with beating():
            for text in (f"{many} b", words):
                with suppress(ActionError):  # on a machine that is busy
                    await find(web, site, text)


async def test_words_between_pieces_of_a_long_text_are_found(web, monkeypatch):
    monkeypatch.setattr("strap.documents.passages._PIECE", 7)
    with serve({"/": long("x" * 100 + " needle  in a haystack " + "y" * 100)}) as site:
        for text in ("needle", "NEEDLE in", "haystack"):
            assert (await find(web, site, text)).text.split("\n\n")[1].startswith("1 passage")
