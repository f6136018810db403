"""Share of the wanted pieces that main parts keep.

The pages are those of `passages` and `lists`; `loss:KIND` measures one kind of them.
`loss:FOLDER` measures pages below a folder: the recipes of recipe-scrapers (`*.testhtml`, each
beside its JSON), or the signatures and blocks of documentation (`*.html`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from benchmarks.bench import Bench, Table
from benchmarks.of_content.extractors import Extractor, extractors
from benchmarks.of_content.public import ANYWHERE, SEED, Labelled
from benchmarks.of_content.scoring import plain, words
from benchmarks.of_loss import lists, passages
from benchmarks.of_loss.prose import Case
from strap.documents.charset import decode

_MOST = 220
"""Pages of a folder that are measured, drawn with `SEED`."""
_LEAST, _LARGEST = 8_192, 1_000_000
"""Bytes of a page: a smaller one is shown whole, of a larger one the beginning."""
_WORD = re.compile(r"\w+")
_SIGNATURES = (
    './/div[contains(@class, "member-signature")] | .//pre[contains(@class, "ethodSignature")]'
    ' | .//dt[contains(@class, "sig ")]'
)
_BLOCKS = ("p", "pre", "li", "dt", "dd", "td", "h1", "h2", "h3", "h4")
_PLACES = '//main | //*[@role="main"] | //*[@class="body"] | //article | //body'
_ASIDE = ("nav", "header", "footer", "script", "style")


def measure(bench: Bench) -> list[Table]:
    folder = Path(bench.part) if bench.part and Path(bench.part).is_dir() else None
    found = [*_foreign(folder)] if folder else _own(bench.part)
    kinds = dict.fromkeys(case.kind for case in found)
    if not kinds:
        raise SystemExit(f"loss:{bench.part}: neither a folder with pages nor a kind of own pages")
    table = Table(title="Pieces kept of those wanted", columns=["", *kinds])
    pages = Table(title="Pages that keep all of them", columns=["", *kinds])
    for who, extract in extractors(bench.tools).items():
        if who == "Readability.js":
            continue
        kept = judged(extract, found)
        shares = {kind: [share for case, share in kept if case.kind == kind] for kind in kinds}
        table.rows.append([who, *(f"{_pooled(kept, kind):.3f}" for kind in kinds)])
        whole = (f"{sum(s == 1 for s in shares[kind])} of {len(shares[kind])}" for kind in kinds)
        pages.rows.append([who, *whole])
    return [table, pages]


def _own(kind: str) -> list[Case]:
    makers = (
        *(passages.wrappers, passages.signatures, passages.named),
        *(lists.threads, lists.recipes, lists.entries),
    )
    return [case for make in makers for case in make() if kind in ("", case.kind)]


def judged(extract: Extractor, found: Sequence[Case]) -> list[tuple[Case, float]]:
    """Each case with the share of its wanted pieces that was kept."""
    pages = [Labelled(name=case.name, url=ANYWHERE, html=case.html) for case in found]
    return [
        (case, _share(case, text)) for case, (text, _) in zip(found, extract(pages), strict=True)
    ]


def _pooled(kept: Iterable[tuple[Case, float]], kind: str) -> float:
    own = [(len(case.wanted), share) for case, share in kept if case.kind == kind]
    return sum(size * share for size, share in own) / (sum(size for size, _ in own) or 1)


def _share(case: Case, text: str) -> float:
    said = flat(text)
    return sum(flat(piece) in said for piece in case.wanted) / len(case.wanted)


def flat(text: str) -> str:
    """The words of a text, one blank between two."""
    return f" {' '.join(words(plain(text)))} "


def _foreign(folder: Path) -> Iterator[Case]:
    recipes = [p for p in folder.rglob("*.testhtml") if p.with_suffix(".json").is_file()]
    paths = recipes or [*folder.rglob("*.html"), *folder.rglob("*.htm")]
    paths = sorted(
        path for path in paths if path.is_file() and _LEAST < path.stat().st_size < _LARGEST
    )
    for path in sorted(Random(SEED).sample(paths, min(_MOST, len(paths)))):
        page = decode(path.read_bytes(), "", markup=True)
        name = str(path.relative_to(folder))
        wanted = _of_recipe(path, page) if recipes else _of_reference(page)
        yield from (
            Case(name=name, kind=kind, html=page, wanted=tuple(pieces))
            for kind, pieces in wanted.items()
            if pieces
        )


def _of_recipe(path: Path, page: str) -> Mapping[str, Sequence[str]]:
    """Ingredients and steps by a recipe's label, as far as the page shows them to readers."""
    label: dict[str, Any] = json.loads(path.with_suffix(".json").read_text("utf-8"))
    shown = flat(_shown(page))
    steps = label.get("instructions_list") or (label.get("instructions") or "").splitlines()
    told = {"ingredients": label.get("ingredients") or [], "steps": steps}
    return {
        kind: [each for each in some if len(flat(each)) > 2 and flat(each) in shown]
        for kind, some in told.items()
    }


def _of_reference(page: str) -> Mapping[str, Sequence[str]]:
    """The signatures of a page of documentation, and the blocks of its main element."""
    root = _tree(page, *_ASIDE)
    signatures = [each.text_content() for each in root.xpath(_SIGNATURES)]
    place = next(found for found in (root.xpath(each) for each in _PLACES.split(" | ")) if found)
    blocks = [
        each.text_content()
        for each in place[0].iter(*_BLOCKS)
        if not any(below.tag in _BLOCKS for below in each.iterdescendants())
        and 2 * sum(len(a.text_content()) for a in each.iter("a")) < len(each.text_content())
    ]
    return {
        "signatures": [each for each in signatures if _WORD.search(each)],
        "blocks": [each for each in blocks if len(_WORD.findall(each)) > 2],
    }


def _shown(page: str) -> str:
    return " ".join(_tree(page, "script", "style", "noscript").itertext())


def _tree(page: str, *without: str) -> Any:
    root = lxml_html.document_fromstring(
        page.encode(), parser=lxml_html.HTMLParser(encoding="utf-8")
    )
    etree.strip_elements(root, etree.Comment, *without, with_tail=False)
    return root
