"""Everything on a large page can be reached by further calls, and clicked."""

import re

import pytest

pytestmark = pytest.mark.anyio
ROW = r'row: (\d+) \|.*link "View" (e\d+)'
CONTROL = r'(?:button|link) "((?:Action|Link) \d+)" (e\d+)'


async def reached(page, name, pattern):
    """Return the matches of `pattern` on the page, reading on wherever an answer says so."""
    await page.open(name)
    shown = await page("snapshot")
    found = dict(re.findall(pattern, shown))
    start = re.search(r"start=(\d+)", shown)
    while start is not None:
        shown = await page("snapshot", start=int(start[1]), max_tokens=30_000)
        found.update(re.findall(pattern, shown))
        start = re.search(r"… more: snapshot start=(\d+)", shown)
    return found


async def click_all(page, refs, said):
    for name, ref in refs:
        assert said.format(name) in await page("click", ref=ref), name


@pytest.mark.parametrize(
    ("name", "pattern", "count", "said"),
    [
        ("table.html", ROW, 2_000, "Order {} opened"),
        ("buttons.html", CONTROL, 500, "Pressed {}"),
    ],
)
async def test_everything_is_reached_and_some_of_it_clicked(page, name, pattern, count, said):
    refs = await reached(page, name, pattern)
    assert len(refs) == len(set(refs.values())) == count
    await click_all(page, list(refs.items())[:: count // 9], said)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "pattern", "count", "said"),
    [
        ("table.html", ROW, 2_000, "Order {} opened"),
        ("buttons.html", CONTROL, 500, "Pressed {}"),
    ],
)
async def test_everything_is_clicked(page, name, pattern, count, said):
    refs = await reached(page, name, pattern)
    assert len(refs) == count
    await click_all(page, refs.items(), said)
