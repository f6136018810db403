"""Choice of the main text: the results of two libraries, weighed."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import compress

from lxml import html  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap import record
from strap_http.extraction import EXTRACT
from strap_http.extraction.markdown import bare
from strap_http.extraction.shingles import SIZE, Shingles, words
from strap_http.extraction.text_blocks import TextBlock, holder_of, word_count

LEAST = 25
"""Words that a main part has; less is taken for none."""
_ARTICLE = 100
"""Words from which a text is one that others comment on: the comments do not count then."""
_OUTDONE = 0.5
_DENSE = 0.45
"""Share of paragraphs in a text in one piece, at least."""
_LEADING = 0.3
"""Share of words in links from which a text leads to others."""
_LONG = 800
"""Words from which an article is one, however much more there is around it."""
_UNCUT = 0.9
"""Length of what a page gives as its text at least, by what a library finds, to be all of it."""
SAME = 0.5
"""Share of a text, or of a line, that another one has if they are the same."""
_HEADING = 12
"""Words that a heading has at most."""
_SENTENCE = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u00bb)]?\s+")


@record
class LinkedTexts:
    """Texts in a page's structured data: body of its article, answers of its FAQ."""

    body: str = ""
    answers: tuple[str, ...] = ()


_NOTHING = LinkedTexts()


def judge(root: HtmlElement) -> Shingles | None:
    """Return trafilatura's text of the page without metadata; None without the libraries."""
    if EXTRACT.missing:
        return None
    head = root.find("head")
    for element in () if head is None else [*head.iter("link", "meta")]:
        element.drop_tree()
    careful = Shingles(_careful(root))
    main = _passed_over(root, careful)
    return careful if main is None else max(Shingles(_careful(main)), careful, key=_is_one)


def _passed_over(root: HtmlElement, careful: Shingles) -> HtmlElement | None:
    """The only `main` as a page, if it is larger than the text found elsewhere."""
    named = list(root.iter("main"))
    if len(named) != 1 or len(main_words := words(named[0].text_content())) < max(
        careful.count, _ARTICLE
    ):
        return None
    own = " ".join(main_words)
    lines = [words(line) for line in careful.text.splitlines()]
    # What stands beside a line may follow it without a blank.
    is_own = (" ".join(line[1:-1] or line) in own for line in lines)
    if 2 * sum(len(line) for line in compress(lines, is_own)) >= careful.count:
        return None
    page = html.document_fromstring("<body></body>")
    page.find("body").append(deepcopy(named[0]))
    return page


def _is_one(text: Shingles) -> bool:
    return text.count >= LEAST


def pick(
    page: str,
    careful: Shingles,
    runs: Sequence[TextBlock] = (),
    linked: LinkedTexts = _NOTHING,
    *,
    deep: bool,
) -> Shingles | None:
    """Return the main text of `page`, None if none is found.

    trafilatura, which found `careful`, is the better judge of articles; where it keeps less than
    half of what resiliparse does (listings, forums, products), resiliparse is, unless it adds links
    to an article. `deep` pages would keep that one busy. Nobody knows better than what the page
    tells machines, where that is all of the text. `runs` are those of the page.
    """
    own = _in_lines(linked.body, careful, runs)
    if own is None:
        own = _weighed(page, careful, runs, deep=deep)
    if own is None or not linked.answers:
        return own
    return Shingles("\n".join((own.text, *map(_sentences, linked.answers))), careful=own.careful)


def _weighed(
    page: str, careful: Shingles, runs: Sequence[TextBlock], *, deep: bool
) -> Shingles | None:
    is_article = careful.count >= _ARTICLE
    is_sure = careful.count >= _LONG
    generous = Shingles("" if deep or is_sure else _generous(page, comments=not is_article))
    is_outdone = not is_sure and careful.count < _OUTDONE * generous.count
    if is_outdone and careful.count >= LEAST:
        is_outdone = not _adds_links(careful, generous, runs)
    chosen = generous if is_outdone else careful
    return chosen if chosen.count >= LEAST else None


def _adds_links(careful: Shingles, generous: Shingles, runs: Sequence[TextBlock]) -> bool:
    """Whether `careful` is prose in one piece, and the rest of `generous` leads elsewhere."""
    texts = [run for run in runs if run.image is None]
    own = [at for at, run in enumerate(texts) if _is_of(run, careful) and len(run.words) >= SIZE]
    piece = texts[own[0] : own[-1] + 1] if own else []
    prose = sum(len(texts[at].words) for at in own if texts[at].is_prose)
    if not prose or prose < _DENSE * word_count(piece):
        return False
    further = [run for run in texts if _is_of(run, generous) and not _is_of(run, careful)]
    links = sum(run.linked for run in further if not run.is_heading)
    size = word_count(further)  # little where what it has besides is the same text again
    return size >= _OUTDONE * careful.count and links >= _LEADING * size


def _is_of(run: TextBlock, text: Shingles) -> bool:
    return text.share(run.words) >= SAME


def _in_lines(body: str, careful: Shingles, runs: Sequence[TextBlock]) -> Shingles | None:
    """The `articleBody` of JSON-LD in the lines found of it; None if it is another text or cut."""
    own = Shingles(_sentences(body))
    if own.count < max(_ARTICLE, _UNCUT * careful.count) or own.share(words(careful.text)) < SAME:
        return None
    known = list(_known(careful.text.splitlines(), own, _around(own, runs)))
    new = (line for line in own.text.splitlines() if careful.share(words(line)) < SAME)
    return Shingles("\n".join((*known, *new)), careful=careful)


def _known(lines: Sequence[str], own: Shingles, around: Shingles) -> Iterator[str]:
    """The found lines of the text, and what else its element has: headings, tables, updates."""
    began = False
    for line in lines:
        line_words = words(line)
        is_own = own.share(line_words) >= SAME
        began = began or is_own
        if is_own or ((began or len(line_words) >= _HEADING) and around.share(line_words) >= SAME):
            yield line


def _around(own: Shingles, runs: Sequence[TextBlock]) -> Shingles:
    """Return the text of the innermost element that has all paragraphs of `own`."""
    blocks = [
        (run.unit if run.unit is not None else run.block).getparent()
        for run in runs
        if len(run.words) >= _HEADING and own.share(run.words) >= SAME
    ]
    if not blocks:
        return Shingles()
    within = set(holder_of(blocks[0], blocks[-1]).iter())
    return Shingles("\n".join(" ".join(run.words) for run in runs if run.block in within))


def _sentences(text: str) -> str:
    return "\n".join(_SENTENCE.split(bare(text)))


def _careful(root: HtmlElement) -> str:
    import trafilatura

    try:
        return trafilatura.extract(root, include_comments=False) or ""
    except Exception:  # noqa: BLE001 - pages are hostile; the other library is there still
        return ""


def _generous(page: str, *, comments: bool) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(
        extract_plain_text(page, main_content=True, comments=comments, alt_texts=False, links=False)
    )
