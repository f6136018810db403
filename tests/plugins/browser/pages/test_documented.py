"""The answers that the documentation shows are those that are made."""

import re
import shlex
from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio
DOCS = Path(__file__).parents[4] / "docs"
START = (DOCS / "start.md").read_text("utf-8")
PAGE = """<!doctype html><title>Order</title><h1>Order</h1>
<nav aria-label=Main><a href=/>Home</a></nav><label>Name <input placeholder=Ada></label>
<label>Size <select><option>Small<option selected>Large</select></label>
<label><input type=checkbox checked> Gift</label>
<div onclick=1 style="cursor: pointer">Add a note</div><ul><li>Tea<li>Milk</ul>
<p style="position: absolute; left: -9999px">Skip to content</p>
<table><tr><th>What<th>Price<tr><td>Tea<td>3.20</table><iframe srcdoc="<button>Pay"></iframe>"""


async def test_how_a_snapshot_reads(page, serve_site):
    site = serve_site({"/": PAGE})
    await page("navigate", url=site)
    shown = (await page("snapshot")).replace(f"{site}/", "https://shop.example/")
    assert f"```text\n{shown}\n```" in (DOCS / "concepts.md").read_text("utf-8")


async def test_the_first_ten_minutes(page, serve_site):
    """Serve the page of the tutorial, make its calls, and look for the answers that it prints."""
    form = START.partition("```html\n")[2].partition("```")[0]
    site = serve_site({"/form.html": form})
    shown = re.findall(r"^\$ strap call browser (.*)\n((?:[^$`].*\n)*)", START, re.MULTILINE)
    made = 0
    for command, output in shown:
        action, *words = shlex.split(command.replace("http://localhost:8000", str(site)))
        if action not in ("navigate", "fill", "click", "console"):
            continue
        fields = dict(word.split("=", 1) if "=" in word else ("url", word) for word in words)
        answer = await page(action, **fields)
        assert output.strip() in answer.replace(str(site), "http://localhost:8000")
        made += bool(output)
    assert made == 3
