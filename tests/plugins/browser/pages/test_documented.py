"""The snapshot that the documentation shows is the one that is made."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio
CONCEPTS = Path(__file__).parents[4] / "docs" / "concepts.md"
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
    assert f"```text\n{shown}\n```" in CONCEPTS.read_text("utf-8")
