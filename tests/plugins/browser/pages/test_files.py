"""Files: PDFs that a tab shows, and downloads, read as text."""

import asyncio
import os

import pytest

from strap import ActionError, UsageError
from tests.plugins.http.documents import docx, paragraph, pdf, scan
from tests.site.server import Reply

from .conftest import colour

pytestmark = pytest.mark.anyio
PDF = "application/pdf"


@pytest.fixture
def page(one_page):
    return one_page


def only_for_ada(content, asked):
    def answer(request):
        asked.append(request)
        known = "who=ada" in request.headers.get("cookie", "")
        return Reply(
            status=200 if known else 403,
            headers={"Content-Type": PDF if known else "text/html"},
            body=content if known else "<p>Who are you?",
        )

    return answer


@pytest.mark.whole_browser
async def test_a_pdf_behind_a_login_is_read_where_it_is_shown(page, serve_site):
    asked = []
    site = serve_site(
        {
            "/": Reply(headers={"Set-Cookie": "who=ada; HttpOnly"}, body="<p>Hello"),
            "/bill.pdf": only_for_ada(pdf("Total 12 euros", "Thank you"), asked),
        }
    )
    await page("navigate", url=site)
    assert "`text` reads it" in await page("navigate", url=f"{site}/bill.pdf", timeout=20)
    result = await page.result("text")
    assert result.text.splitlines()[0] == f"{site}/bill.pdf"
    assert "Total 12 euros" in result.text
    assert "Thank you" in result.text
    assert result.data["length"] == len(result.text.partition("\n")[2])
    before = len(asked)
    assert "12 euros" not in await page("text", start=30)
    assert len(asked) == before  # what was read is kept for the next part


@pytest.mark.whole_browser
async def test_each_document_of_a_tab_is_read_anew(page, serve_site):
    site = serve_site(
        {
            f"/{name}": Reply(headers={"Content-Type": PDF}, body=pdf(f"This is {name}"))
            for name in ("a", "b")
        }
    )
    for name in ("a", "b", "a"):
        await page("navigate", url=f"{site}/{name}", timeout=20)
        assert f"This is {name}" in await page("text")


@pytest.mark.whole_browser
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"%PDF-1.7 and nothing that follows", "The PDF file is damaged."),
        (pdf(""), "The PDF file has no text."),
        (scan(pdf("")), "The PDF file has no text, only pictures: it is scanned (1 page)."),
    ],
)
async def test_a_pdf_without_text_says_why(page, serve_site, content, why):
    site = serve_site({"/": Reply(headers={"Content-Type": PDF}, body=content)})
    await page("navigate", url=site, timeout=20)
    with pytest.raises(ActionError) as raised:
        await page.result("text")
    assert raised.value.message == why
    assert str(raised.value).count("screenshot") == 1


@pytest.mark.whole_browser
async def test_the_first_picture_of_a_pdf_shows_it(page, serve_site):
    site = serve_site({"/": Reply(headers={"Content-Type": PDF}, body=pdf("Total 12 euros"))})
    await page("navigate", url=site, timeout=20)
    (image,) = (await page.result("screenshot")).images
    # The viewer without its file is dark all over; the sheet of paper is white.
    assert await colour(page, image.data, 640, 400) == (1, 1, 1)


@pytest.mark.whole_browser
async def test_the_answer_to_a_form_is_not_asked_for_again(page, serve_site):
    asked = []

    def bill(request):
        asked.append(request.method)
        return Reply(headers={"Content-Type": PDF}, body=pdf("Paid"))

    site = serve_site(
        {"/": "<form method=post action=/pay><button>Pay</button></form>", "/pay": bill}
    )
    await page("navigate", url=site)
    await page("click", selector="button")
    with pytest.raises(ActionError, match="It is the answer to a POST, which is not sent again"):
        await page.result("text")
    assert asked == ["POST"]


def attached(content, name):
    fields = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Reply(headers={"Content-Type": "application/octet-stream", **fields}, body=content)


FILES = {
    "report.docx": docx(paragraph("Figures", 1) + paragraph("Sales rose to 7 lamps.")),
    "bill.pdf": pdf("Total 12 euros"),
    "prices.csv": b"lamp,price\nA,1\nB,2\n",
    "notes.txt": "Grüße\n".encode(),
    "data.bin": b"\0\1\2\3" * 50,
}
TOLD = {
    "report.docx": "# Figures",
    "bill.pdf": "Total 12 euros",
    "prices.csv": "| lamp | price |",
    "notes.txt": "Grüße",
}


@pytest.fixture
async def downloaded(page, serve_site):
    async def get(files):
        site = serve_site(
            {f"/{name}": attached(content, name) for name, content in files.items()}
            | {"/": "".join(f"<p><a href=/{name}>{name}</a>" for name in files)}
        )
        await page("navigate", url=site)
        for name in files:
            await page("click", selector=f"text={name}")
        async with asyncio.timeout(20):
            while True:
                listed = (await page.result("downloads")).data
                there = {each["name"]: each for each in listed if each["path"]}
                if there.keys() >= files.keys():
                    return {name: there[name]["ref"] for name in files}
                await asyncio.sleep(0.05)

    return get


async def test_downloads_are_read_by_their_refs(page, downloaded):
    refs = await downloaded(FILES)
    assert len(set(refs.values())) == len(FILES)
    for name, text in TOLD.items():
        result = await page.result("downloads", ref=refs[name])
        assert result.text.startswith(f"{refs[name]} {name!r} (")
        assert text in result.text
        assert result.data["next_start"] is None
    with pytest.raises(ActionError, match=r"'data\.bin' cannot be read: Not text"):
        await page.result("downloads", ref=refs["data.bin"])
    assert (await page.fails("downloads", ref="d999")).code == "unknown_ref"
    assert await page("downloads", text="BILL") == (await page("downloads", text="bill.pdf"))


async def test_long_files_come_in_parts_and_by_passages(page, downloaded):
    lines = "".join(f"Line {n} says nothing of interest.\n" for n in range(3_000))
    text = f"{lines}Here is the needle.\n{lines}"
    ref = (await downloaded({"long.txt": text.encode()}))["long.txt"]
    first = await page.result("downloads", ref=ref, max_tokens=500)
    start = first.data["next_start"]
    assert f"Next part: the same call with start={start}]" in first.text
    assert first.data["characters"] == len(text)
    second = await page.result("downloads", ref=ref, start=start, max_tokens=500)
    assert second.text.partition("\n\n")[2].startswith(text[start : start + 40])
    found = await page.result("downloads", ref=ref, text="the needle")
    assert "Here is the needle." in found.text
    assert f"start={text.index('Here is')}" in found.text
    with pytest.raises(UsageError, match="is past the end"):
        await page.result("downloads", ref=ref, start=len(text))
    with pytest.raises(UsageError, match="start goes with ref"):
        await page.result("downloads", start=5)


async def test_a_link_in_the_place_of_a_download_is_not_followed(page, downloaded, tmp_path):
    ref = (await downloaded({"a.txt": b"fine"}))["a.txt"]
    (tmp_path / "secret").write_text("do not tell")
    path = (await page.result("downloads")).data[-1]["path"]
    os.remove(path)  # noqa: PTH107
    os.symlink(tmp_path / "secret", path)  # noqa: PTH211
    with pytest.raises(ActionError, match="cannot be read: ") as raised:
        await page.result("downloads", ref=ref)
    assert "do not tell" not in str(raised.value)


async def test_answers_name_the_files_that_came_of_them(page, serve_site, tmp_path):
    site = serve_site({"/": "<a href=/a.txt>Get", "/a.txt": attached(b"fine", "told.txt")})
    await page("navigate", url=site)
    shot = await page.result("screenshot", output="shot.png")
    told = list((await page.result("click", selector="text=Get")).files)
    async with asyncio.timeout(60):
        while not told:
            told += (await page.result("evaluate", text="1")).files
    assert [path.name for path in (*shot.files, *told)] == ["shot.png", "told.txt"]
    assert not (await page.result("evaluate", text="1")).files
    listed = await page.result("downloads")
    assert listed.files[-1].read_bytes() == b"fine"
