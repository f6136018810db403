"""`llms.txt`: what the site has, for models; written by `docs/generate.py`."""

import re
from collections.abc import Iterator

from manifests import HOME, PROJECT, ROOT

DOCS = ROOT / "docs"
_TREE = re.compile(r":::\{toctree\}\n(.*?)\n:::", re.DOTALL)
_CAPTION = re.compile(r"^:caption: (.*)$", re.MULTILINE)


def llms_txt() -> str:
    """Return the text: sections and pages as in the index, each with its first sentence."""
    return "\n".join(_lines()) + "\n"


def pages() -> dict[str, list[str]]:
    """Return the pages of each section of the index."""
    found = {}
    for tree in _TREE.findall((DOCS / "index.md").read_text("utf-8")):
        (caption,) = _CAPTION.findall(tree)
        found[caption] = [line for line in tree.splitlines() if line and not line.startswith(":")]
    return found


def _lines() -> Iterator[str]:
    yield from (f"# {PROJECT['name']}", "", f"> {PROJECT['description']}")
    for caption, names in pages().items():
        yield from ("", f"## {caption}", "")
        for name in names:
            text = (DOCS / f"{name}.md").read_text("utf-8")
            title = text.partition("\n")[0].removeprefix("# ")
            yield f"- [{title}]({HOME}/blob/main/docs/{name}.md)"
