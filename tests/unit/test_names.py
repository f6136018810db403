"""Names in code are nouns of the field; `now` is the name of a reading of a clock."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BANNED = {
    "told",
    "said",
    "asked",
    "given",
    "wanted",
    "kept",
    "found",
    "each",
    "here",
    "there",
    "one",
}
TYPES = {word.title() for word in BANNED}
PUBLIC = Counter(
    {
        "strap: Kept": 2,
        "plugins/http: Kept": 5,
        "plugins/browser: Kept": 2,
        "strap: there": 3,
        "strap: told": 3,
        "plugins/agent: asked": 1,
        "plugins/agent: there": 1,
        "plugins/http: told": 1,
        "plugins/live: there": 1,
        "plugins/search: kept": 3,
    }
)
"""Uses of `Asker.there`, `Secrets.told`, `EngineContext.kept`, `strap.Kept`; a message's field."""
IN_SCRIPTS = {"plugins/browser": 128, "plugins/cases": 1, "plugins/live": 3}
"""Variables and functions of JavaScript, which may only become fewer."""
DECLARED = re.compile(rf"\b(?:const|let|function) _?({'|'.join(BANNED)})_?\b")


def names(source):
    """Yield all identifiers: what is bound, read, imported, or given by name."""
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "arg", "attr", "name", "asname", "rest"):
            if isinstance(name := getattr(node, field, None), str):
                yield name.strip("_")
        if isinstance(node, ast.MatchClass):
            yield from node.kwd_attrs


def package(path):
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[: 1 if parts[0] == "strap" else 2])


def sources(ending):
    for folder in ("strap", "plugins"):
        for path in (ROOT / folder).rglob(f"*.{ending}"):
            if "node_modules" not in path.parts:
                yield package(path), path.read_text("utf-8")


def test_python_names_are_nouns():
    counts = Counter(
        f"{where}: {name}"
        for where, text in sources("py")
        for name in names(text)
        if name in BANNED or name in TYPES
    )
    assert counts == PUBLIC


def test_names_in_scripts_become_fewer():
    counts = Counter()
    for where, text in sources("js"):
        counts[where] += len(DECLARED.findall(text))
    assert {where: count for where, count in counts.items() if count} == IN_SCRIPTS


@pytest.mark.parametrize(
    "source",
    ["told = 1", "def _told(): 0", "x.told", "f(told=1)", "lambda told: 0", "from m import told",
     "import m as told", "try: 0\nexcept E as told: 0", "match x:\n case {**told}: 0",
     "match x:\n case [*told]: 0", "match x:\n case C(told=1): 0"],
)  # fmt: skip
def test_every_kind_of_name_is_seen(source):
    assert "told" in names(source)
