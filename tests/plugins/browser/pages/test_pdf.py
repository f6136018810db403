"""The page as a PDF, inside the output folder."""

import pytest

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(one_page):
    return one_page


async def test_saved(page, outputs):
    await page.open("article.html")
    answer = await page("pdf", output="sub/article.pdf")
    file = outputs / "sub" / "article.pdf"
    assert answer == f"Saved to {file} ({file.stat().st_size:,} bytes)."
    assert file.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("../out.pdf", "is outside the folder for files"),
        ("/etc/out.pdf", "is outside the folder for files"),
        ("page.html", "End it in .pdf."),
        ("", "is not a path"),
        ("two\nlines.pdf", "is not a path"),
        ("page.pdf\n", "is not a path"),
        ("two\u2028lines.pdf", "is not a path"),
    ],
)
async def test_bad_output(page, output, words):
    await page.open("form.html")
    assert words in str(await page.fails("pdf", output=output))
    assert "'output' is missing" in str(await page.fails("pdf"))
