"""Addresses longer than an answer should be."""

import pytest

pytestmark = pytest.mark.anyio
CODE = "x" * 40_000
ROWS = "".join(f"<p>Row {number}</p>" for number in range(40))
BODY = f"""<!doctype html><title>Playground</title><h1>Playground</h1>
<button onclick="location.hash = 'code=' + 'y'.repeat(7900)">Share</button>{ROWS}"""


@pytest.fixture
async def playground(page, serve_site):
    page.site = serve_site({"/play": BODY, "/link": "<a href=/play#code=" + CODE + ">Open</a>"})
    return page


async def test_an_answer_is_about_the_page(playground):
    for answer in (
        await playground("navigate", url=f"{playground.site}/play#code={CODE}"),
        await playground("snapshot"),
        await playground("snapshot", text="Row 7", max_tokens=800),
        await playground("text"),
    ):
        assert f"{playground.site}/play#code=xxxx" in answer
        assert "xxx… (40," in answer.replace("\n", " ")
        assert "Row 7" in answer
        assert len(answer) < 2_500
    assert len(await playground("list_pages")) < 1_000
    assert await playground.run("location.href") == f"{playground.site}/play#code={CODE}"


async def test_an_address_that_became_long(playground):
    await playground("navigate", url=f"{playground.site}/play")
    answer = await playground("click", selector="button")
    assert f"\nURL: {playground.site}/play#code=yyy" in answer
    assert "yyy… (7,9" in answer
    assert len(answer) < 800


async def test_a_link_to_a_long_address(playground):
    await playground("navigate", url=f"{playground.site}/link")
    assert len(await playground("snapshot")) < 600
    assert len(await playground("text")) < 600
    assert len(await playground("click", selector="a")) < 2_500
    assert len(await playground("network")) < 2_000


async def test_an_address_may_be_too_long(playground):
    error = await playground.fails("navigate", url=f"{playground.site}/#{'x' * 70_000}")
    assert "is longer than 65,536 characters" in str(error)
