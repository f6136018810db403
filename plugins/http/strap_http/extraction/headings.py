"""Headings of the main text, and the standfirst under its headline."""

from collections.abc import Sequence
from itertools import takewhile

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.shingles import SIZE, Shingles, is_alike
from strap_http.extraction.text_blocks import TextBlock, ends_sentence, rank_of, upwards, word_count

_CLOSE = 12
"""Runs that may stand between a headline and the text: a standfirst, names, a date, buttons."""
_STANDFIRST = 10
"""Words that a line under the headline has if it is a sentence."""
_DESCRIBED = 0.5
"""Share of its runs of words that it has in common with how the page describes itself."""
_SHORT = 100
"""Words up to which a text in one line tells its headings: more may be the whole page."""
_ABOVE = 0.2
"""Share of the kept words that stand above the headline at most without belonging to the text."""
_NAMING = 3
"""Words from which a heading can be told from the name of a site or a section."""
_SEVERAL = 3
"""Articles with text that a page has at least if each is by somebody else, or about it."""
_FIRST, _LAST = 1, 7  # ranks; the second is below every heading


def keep_headings(runs: Sequence[TextBlock], main: Shingles) -> None:
    """Keep headings that the text has as lines, and those of kept sections."""
    following, rank, article = False, _LAST, None
    first = next((at for at, run in enumerate(runs) if run.is_main and not run.is_heading), 0)
    articles = _articles(runs)
    for at, run in zip(range(len(runs) - 1, -1, -1), reversed(runs), strict=True):
        if run.is_heading:
            own, begins = rank_of(run), article in articles and _article(run) is article
            leads = at < first and run.linked == len(run.words) and not begins
            heads = _is_told(run, main) or (following and own < rank and not leads)
            run.is_main = heads
            following, rank = following or run.is_main, own
        elif run.is_main:
            following, rank, article = True, _LAST, _article(run)
        elif run.image is None and len(run.words) >= SIZE:
            goes_on = article in articles and _article(run) is article
            following, rank = (following, rank) if goes_on else (False, _LAST)


def _is_told(heading: TextBlock, main: Shingles) -> bool:
    """Whether the main text has a heading as a line, or at all where it is one short line."""
    if main.longest == main.count < _SHORT:
        return main.share(heading.words) == 1.0
    return main.lines(heading.words) > 0


def _articles(runs: Sequence[TextBlock]) -> set[HtmlElement]:
    """The articles with text, where the page has several, as a forum; not what is around those."""
    articles = {article for run in runs if run.is_main and (article := _article(run)) is not None}
    articles -= {
        around for article in articles for around in article.iterancestors("article", "main")
    }
    return articles if len(articles) >= _SEVERAL else set()


def drop_above(runs: Sequence[TextBlock], title: Sequence[str]) -> None:
    """Drop what little stands above the headline, but a lead sentence in the same article."""
    main = [run for run in runs if run.is_main and run.image is None]
    above = list(takewhile(lambda run: not may_be_headline(run, title), main))
    headline = main[len(above) : len(above) + 1]
    if not headline or not _heads(headline[0], title):
        return
    if word_count(above) <= _ABOVE * word_count(main):
        article = _article(headline[0])
        for run in above:
            leads = article is not None and _article(run) is article
            run.is_main = leads and run.unit is None and run.linked == 0 and _is_sentence(run)


def _heads(headline: TextBlock, title: Sequence[str]) -> bool:
    is_first = rank_of(headline) == _FIRST
    return names(headline.words, title) or (is_first and is_alike(headline.words, title))


def _article(run: TextBlock) -> HtmlElement | None:
    return next((place for place in upwards(run.block) if place.tag in ("article", "main")), None)


def keep_headline(runs: Sequence[TextBlock], title: Sequence[str], described: Shingles) -> None:
    """Keep the headline above the text, and the standfirst between them."""
    first = next((at for at, run in enumerate(runs) if run.is_main), None)
    if first is None:
        return
    is_found = runs[first].is_heading and may_be_headline(runs[first], title)
    headline = first if is_found else _headline(runs[:first], title)
    if headline is None:
        return
    runs[headline].is_main = True
    texts = (at for at, run in enumerate(runs) if at > headline and _is_text(run))
    between = runs[headline + 1 : next(texts, headline)]
    known = [run.words for run in runs[first:] if run.is_main]
    for run in between:
        is_new = run.image is None and not run.is_main and run.words not in known
        if is_new and _is_standfirst(run, described, is_close=len(between) <= _CLOSE):
            run.is_main = True
            known.append(run.words)


def _is_text(run: TextBlock) -> bool:
    return run.is_main and run.image is None and not run.is_heading


def _is_standfirst(run: TextBlock, described: Shingles, *, is_close: bool) -> bool:
    """Whether it says what the page says of itself, or is a sentence close to the text."""
    is_free = run.unit is None or (run.is_heading and rank_of(run) > _FIRST)
    is_beside = next(run.block.iterancestors("aside"), None) is not None
    if not is_free or is_beside or len(run.words) < _STANDFIRST:
        return False
    if 2 * run.linked <= len(run.words) and described.share(run.words) >= _DESCRIBED:
        return True
    return is_close and run.linked == 0 and _is_sentence(run)


def may_be_headline(run: TextBlock, title: Sequence[str]) -> bool:
    """Whether it is a heading of the first rank, or names the page."""
    is_named = len(run.words) >= _NAMING and names(run.words, title)
    return run.is_heading and (rank_of(run) == _FIRST or is_named)


def _is_sentence(run: TextBlock) -> bool:
    """Whether it is a sentence, rather than names or times of writing and changing."""
    return len(run.words) >= _STANDFIRST and ends_sentence(run.text)


def names(heading: Sequence[str], title: Sequence[str]) -> bool:
    """Whether a heading is the title of a page, which often has more, the name of the site last."""
    size = len(heading)
    starts = range(len(title) - size) if 2 * size >= len(title) else range(1)
    return size > 0 and any(title[at : at + size] == heading for at in (0, *starts))


def _is_title(heading: Sequence[str], title: Sequence[str]) -> bool:
    """Whether a heading is the title of a page, rather than a topic that it begins with."""
    is_whole = len(heading) >= _NAMING or 2 * len(heading) >= len(title)
    return is_whole and names(heading, title)


def _headline(above: Sequence[TextBlock], title: Sequence[str]) -> int | None:
    headings = [at for at, run in enumerate(above) if run.is_heading]
    named = [at for at in headings if _is_title(above[at].words, title)]
    close = [at for at in headings if rank_of(above[at]) == _FIRST and len(above) - at <= _CLOSE]
    return max(named, default=max(close, default=None))
