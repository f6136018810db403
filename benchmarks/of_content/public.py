"""Labelled pages of public repositories, in two halves: one to look at, one to measure.

`news` is the article-extraction benchmark of Zyte, `web` WCXB with its page types, `mixed` what
trafilatura is evaluated with, `readable` the tests of Readability.js, whose labels are its own
output, `press` the newest page of each publisher in the tests of Fundus: what the rules that
somebody wrote for that publisher take of it, standfirsts included. `older` is news of 2011 and 2012
in five languages, many of it laid out by tables: DAnIEL, as labelled for Waddle, up to three pages
of a host. The repositories are cloned at first use, at these commits. `halves.json` has the names
of both halves of each, drawn with `SEED`, those of `older` by the hosts: nobody has read a page of
the second one, nor what is found in it, when extraction was worked on.
"""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Literal

from lxml import html as lxml_html

from benchmarks.peers import Absent, repository
from strap.documents.charset import decode

SEED = 20_261_123
HALVES = Path(__file__).with_name("halves.json")
Half = Literal["read", "unread"]
ANYWHERE = "https://example.com/"
_REPOSITORIES = {
    "news": (
        "scrapinghub/article-extraction-benchmark",
        "4a3bc979f76c0df73cb95fe272e2fc1b96f9f010",
    ),
    "web": (
        "Murrough-Foley/web-content-extraction-benchmark",
        "c039d5ee9f5a3a984a0e167e63aacd04e76e78a9",
    ),
    "mixed": ("adbar/trafilatura", "e90b0ef51ab026fdb905fb6c5b3c84dd3d784fd5"),
    "readable": ("mozilla/readability", "ab4027a8b37669745016869a37a504727992b2ba"),
    "press": ("flairNLP/fundus", "18da6e53592f99cf0ac5770dc63d6ba99ba63ae8"),
    "older": ("rundimeco/waddle", "be875ce12ad9e23ef68ef7f3b0605db6d06bcdb1"),
    "city-scrapers": ("City-Bureau/city-scrapers", "292e3f20e2b0cf044e8571bd3acf9cd84249af30"),
    "city-scrapers-cle": (
        "City-Bureau/city-scrapers-cle",
        "93e3e567cb5c6db7c39bb9eea1bebaca989763a8",
    ),
    "city-scrapers-det": (
        "City-Bureau/city-scrapers-det",
        "708787f7fa18af34ea40b0089ec345260dcb9735",
    ),
    "juriscraper": ("freelawproject/juriscraper", "8446197f3885164fd337624490cf466d8817d775"),
    "mdr": ("scrapinghub/mdr", "573f1ff968748a35d619c7df0748d031b735396a"),
    "portia": ("scrapinghub/portia", "606467d278eab2236afcb3d260cb03bf6fb906a0"),
    "autopager": ("TeamHG-Memex/autopager", "990e480bee9f780088db05e7586b2b84e255abeb"),
    "Formasaurus": ("scrapinghub/Formasaurus", "4bb46a95c7851622bb63ca7459d4d6d2587297ab"),
    "search-engine-google": (
        "serp-spider/search-engine-google",
        "9f889148e8b39ffd98fdddb2bc58a2844bb14ae6",
    ),
    "aile": ("scrapinghub/aile", "251a98a762db470a7a191311193513350218dbba"),
}
_TAG = re.compile(r"<[^>]*>")
_DATED = re.compile(r"_\d{4}_\d\d_\d\d\.html\.gz$")


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A page; `main` is its main part, or `having` and `lacking` what that has and has not.

    `kind` is what its corpus tells apart: types of pages, languages. `by_words` tells that words
    are compared, rather than runs of four.
    """

    name: str
    url: str
    html: str
    kind: str = ""
    by_words: bool = False
    main: str = ""
    having: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


def pages(corpus: str, half: Half) -> list[Labelled]:
    """Return the pages of a half; raises `Absent`."""
    wanted = set(json.loads(HALVES.read_text())[corpus][half])
    return [page for page in _LOADERS[corpus](_folder(corpus)) if page.name in wanted]


def files(names: Iterable[str]) -> Iterator[Labelled]:
    """The pages at these paths, each of which begins with its repository; raises `Absent`."""
    for name in names:
        repository, _, path = name.partition("/")
        html = decode((_folder(repository) / path).read_bytes(), "", markup=True)
        yield Labelled(name=name, url=ANYWHERE, html=html)


def draw() -> None:
    """Write the halves of all corpora but `older`, which stay as they are."""
    halves = {"older": json.loads(HALVES.read_text())["older"]}
    for corpus, load in _LOADERS.items():
        if corpus in halves:
            continue
        names = sorted(page.name for page in load(_folder(corpus)))
        random.Random(SEED).shuffle(names)
        middle = len(names) // 2
        halves[corpus] = {"read": sorted(names[:middle]), "unread": sorted(names[middle:])}
    HALVES.write_text(json.dumps(halves, ensure_ascii=False, indent=0) + "\n")


def _folder(corpus: str) -> Path:
    return repository(*_REPOSITORIES[corpus])


def _news(root: Path) -> Iterator[Labelled]:
    for name, label in json.loads(_text(root / "ground-truth.json")).items():
        page = _packed(root / "html" / f"{name}.html.gz")
        yield Labelled(name=name, url=label.get("url", ""), html=page, main=label["articleBody"])


def _web(root: Path) -> Iterator[Labelled]:
    for part in ("dev", "test"):
        for path in sorted((root / part / "ground-truth").glob("*.json")):
            label = json.loads(_text(path))
            main = label["ground_truth"].get("main_content")
            if main:
                yield Labelled(
                    name=f"{part}/{path.stem}",
                    url=label.get("url") or ANYWHERE,
                    html=_packed(root / part / "html" / f"{path.stem}.html.gz"),
                    kind=label["_internal"]["page_type"]["primary"],
                    by_words=True,
                    main=main,
                )


def _mixed(root: Path) -> Iterator[Labelled]:
    for url, label in json.loads(_text(root / "tests" / "evaldata.json")).items():
        paths = (root / "tests" / place / label["file"] for place in ("cache", "eval"))
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            raise Absent(f"trafilatura: no {label['file']}")
        yield Labelled(
            name=label["file"],
            url=url,
            html=decode(path.read_bytes(), "", markup=True),
            having=tuple(label["with"]),
            lacking=tuple(label["without"]),
        )


def _readable(root: Path) -> Iterator[Labelled]:
    for folder in sorted((root / "test" / "test-pages").iterdir()):
        label = lxml_html.fromstring(_text(folder / "expected.html") or "<p></p>")
        text = "\n".join(str(text) for text in label.itertext())
        page = decode((folder / "source.html").read_bytes(), "", markup=True)
        yield Labelled(
            name=folder.name,
            url="http://fakehost/test/page.html",
            html=page,
            by_words=True,
            main=text,
        )


def _press(root: Path) -> Iterator[Labelled]:
    for path in sorted((root / "tests/resources/parser/test_data").glob("*/*.json")):
        kept = json.loads(_text(path.parent / "meta.info"))
        own = [name for name in kept if _DATED.sub("", name) == path.stem]
        newest = max(own, key=lambda name: str(kept[name]["crawl_date"]))
        body = max(json.loads(_text(path)).items())[1]["body"]
        parts = (each[name] for each in body["sections"] for name in ("headline", "paragraphs"))
        yield Labelled(
            name=f"{path.parent.name}/{path.stem}",
            url=kept[newest]["url"],
            html=_packed(path.parent / newest),
            main="\n".join(line for part in (body["summary"], *parts) for line in part),
        )


def _older(root: Path) -> Iterator[Labelled]:
    folder = root / "corpora/Corpus_daniel_v2.1"
    languages = json.loads(_text(folder / "doc_lg.json"))
    halves = json.loads(HALVES.read_text())["older"]
    for name in sorted(halves["read"] + halves["unread"]):
        label = unescape(_TAG.sub("\n", _text(folder / "reference" / name)))
        page = decode((folder / "html" / name).read_bytes(), "", markup=True)
        url = f"http://{name.split('_')[1]}/"
        yield Labelled(name=name, url=url, html=page, kind=languages[name], main=label)


def _packed(path: Path) -> str:
    return decode(gzip.decompress(path.read_bytes()), "", markup=True)


def _text(path: Path) -> str:
    return path.read_text("utf-8")


_LOADERS: Mapping[str, Callable[[Path], Iterable[Labelled]]] = {
    "news": _news,
    "web": _web,
    "mixed": _mixed,
    "readable": _readable,
    "press": _press,
    "older": _older,
}

if __name__ == "__main__":
    draw()
