"""Console, network and downloads: told without waiting, without secrets, within bounds."""

import asyncio
import re

import pytest

from strap.evidence.redaction import without_secrets
from tests.heartbeat import beating
from tests.site.server import Reply, drip
from tests.support.caller import Caller
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("user=ada&password=hunter2&x=1", "user=ada&password=••••&x=1"),
        ('{"access_token": "abc.def", "a": 1}', '{"access_token": "••••", "a": 1}'),
        ("https://x/?api_key=12&q=a", "https://x/?api_key=••••&q=a"),
        ("nothing to hide: here", "nothing to hide: here"),
    ],
)
def test_secrets(text, masked):
    assert without_secrets(text) == masked


async def test_console(page):
    await page.open("dialogs.html")
    await page("evaluate", text="console.log('one', 1); console.warn('token=abc'); 0")
    await page("evaluate", text="setTimeout(() => { throw new TypeError('late') }); 0")
    await page("wait", value="0.2")
    lines = (await page("console")).splitlines()
    assert lines[0] == "[log] one 1"
    assert lines[1] == "[warning] token=••••"
    assert lines[2] == "[error] late"
    assert await page("console", text="LATE") == "[error] late"
    assert await page("console", limit=1) == (
        "… 2 earlier messages: raise limit or max_tokens, or filter by text\n[error] late"
    )


@pytest.mark.parametrize("word", ["password", "token ", "a.b-c", "secret"])
def test_no_text_takes_long_to_mask(word):
    text = word * (200_000 // len(word)) + " " * 200_000
    assert without_secrets(f"{text}token = abc") == f"{text}token = ••••"


async def test_a_flood_of_words_in_the_console(page):
    await page.open("form.html")
    flood = "for (let i = 0; i < 300; i++) console.log('password'.repeat(2_000)); 0"
    await page("evaluate", text=flood)
    async with beating():
        for text in ("words", None):
            await page("console", text=text, limit=100, max_tokens=50_000)


async def test_nothing_said(page):
    await page.open("form.html")
    assert await page("console") == "No messages so far."
    assert await page("console", text="x") == "No messages with 'x' so far."


async def test_console_fills_formats_in(page):
    await page.open("form.html")
    calls = (
        "console.error('lost %d of %i', 1.5, 'x', {a: 1})",
        "console.warn('w%s', 5)",
        "console.log('%cred%c 100%', 'color:red', '')",
        "console.log('%%d %s')",
    )
    await page("evaluate", text=f"{'; '.join(calls)}; 0")
    async with asyncio.timeout(10):
        while len(lines := (await page("console")).splitlines()) < len(calls):
            await page("wait", value="0.02")
    assert [line.partition(" (")[0] for line in lines] == [
        "[error] lost 1 of NaN {a: 1}",
        "[warning] w5",
        "[log] red 100%",
        "[log] %%d %s",
    ]


async def test_console_is_bounded(page, o200k):
    await page.open("form.html")
    await page("evaluate", text="for (let n = 0; n < 500; n++) console.log('word '.repeat(500)); 0")
    for fields in ({}, {"limit": 200}):
        assert len(o200k.encode(await page("console", **fields))) <= 2_500


async def test_console_does_not_wait_for_a_page(page):
    await page.open("form.html")
    waiting = asyncio.ensure_future(page("wait", text="Zanzibar", timeout=60))
    await asyncio.sleep(0.2)
    await page("console")
    await page("network")
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_network(page):
    await page.open("slow.html")
    await page("click", selector="#load")
    listed = await page("network")
    assert re.search(rf"^r\d+ GET 200 document {page.site}/slow.html \d+ ms$", listed, re.MULTILINE)
    assert re.search(rf"^r\d+ GET 200 fetch {page.site}/slow [\d,]+ ms$", listed, re.MULTILINE)
    assert await page("network", text="zanzibar") == "No requests with 'zanzibar' so far."


async def test_one_request(page):
    await page.open("form.html")
    await page(
        "evaluate",
        text="fetch('/data.json', {method: 'POST', body: JSON.stringify({password: 'hunter2',"
        " name: 'Ada'}), headers: {Authorization: 'Bearer abcdef', 'X-Plain': 'seen',"
        " 'Content-Type': 'application/json'}}).then((r) => r.text())",
    )
    ref = (await page("network", text="data.json")).split()[0]
    shown = await page("network", ref=ref)
    assert f"{ref} POST 200 fetch" in shown
    assert "authorization: •••• (13 characters)" in shown
    assert "x-plain: seen" in shown
    assert "hunter2" not in shown
    assert '"name":"Ada"' in shown
    assert 'Response body:\n{"a": 1}' in shown


async def test_failed_request(page, unused_port):
    await page.open("form.html")
    await page("evaluate", text=f"fetch('http://127.0.0.1:{unused_port}/x').catch(() => 0)")
    assert "GET ERR_CONNECTION_REFUSED fetch" in await page("network", text="/x")
    ref = (await page("network", text="/x")).split()[0]
    assert "Request headers:" in await page("network", ref=ref)


async def test_large_body_is_bounded(page, o200k):
    await page.open("table.html")
    ref = (await page("network", text="table.html")).split()[0]
    assert len(o200k.encode(await page("network", ref=ref, max_tokens=400))) <= 500


async def test_unknown_request(page):
    await page.open("form.html")
    error = await page.fails("network", ref="r999")
    assert str(error).startswith("There is no request 'r999'.")
    assert (await page.fails("network", target_id="t999")).code == "no_page"


async def test_downloads(page, outputs):
    await page.open("dialogs.html")
    assert await page("downloads") == "No downloads so far."
    await page("click", selector="a >> nth=1")
    async with asyncio.timeout(20):
        while "bytes) at" not in await page("downloads"):  # noqa: ASYNC110 - a call, no event
            await asyncio.sleep(0.05)
    listed = await page.result("downloads")
    assert re.match(r"d1 'file.bin' \(5 bytes\) at .*/downloads/file.*\.bin", listed.text)
    assert listed.data[0]["size"] == 5


async def test_downloads_of_others_are_not_listed(page, shared):
    await page.open("file.bin")
    other = shared.as_caller("stranger")
    answer = await other(resource="browser", action="downloads")
    assert answer.text == "No downloads so far."


async def test_download_that_is_too_large_is_stopped(open_web, serve_site):
    endless = Reply(
        body=drip(b"x" * 50_000, every=0.05),
        headers={
            "Content-Type": "application/octet-stream",
            "Content-Disposition": 'attachment; filename="big.bin"',
        },
    )
    site = serve_site({"/": "<a href=/big>Big</a>", "/big": endless})
    async with open_web(download_limit=300_000) as web:
        call = Caller(web)
        await call("launch")
        await call("navigate", url=f"{site}/")
        await call("click", selector="a")
        async with asyncio.timeout(30):
            while "failed" not in (listed := await call("downloads")):
                assert "is on its way (" in listed or listed == "No downloads so far."
                await asyncio.sleep(0.1)
        assert listed == "d1 'big.bin' failed: it is larger than 300,000 bytes, the limit"
        assert "failed: it is larger than" in await call("snapshot")
        folder = web.router.config.home
        await eventually(lambda: not list(folder.rglob("*.crdownload")))  # the browser's own
        assert not list((folder / "outputs").rglob("big*"))
