"""The table of errors in docs/fetch.md names every code that `http.fetch` can give."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *(ROOT / "plugins" / "http" / "strap_http").rglob("*.py"),
    ROOT / "strap" / "network" / "guard.py",
    ROOT / "strap" / "network" / "urls.py",
    ROOT / "strap" / "api" / "outputs.py",
]
CODE = re.compile(r'code="([a-z_]+)"|"([a-z_]+)", (?:True|False)\)|_denied\([^)]*?, "([a-z_]+)"')


def test_every_code_is_explained():
    text = "\n".join(source.read_text("utf-8") for source in SOURCES)
    used = {code for match in CODE.finditer(text) for code in match.groups() if code}
    table = (ROOT / "docs" / "fetch.md").read_text("utf-8").partition("## Errors")[2]
    explained = set(re.findall(r"`([a-z_]+)`", table))
    assert len(used) > 20
    assert used <= explained
