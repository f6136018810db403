"""`output`: bodies saved as they came, and nowhere but in the folder for files."""

import gzip
import json
import os
import time

import pytest

from strap import UsageError
from strap.evidence.har import entries_of
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


@pytest.fixture
def outputs(web):
    return web.router.config.outputs


async def save(web, site, output, **fields):
    return await web(resource="http", action="fetch", url=f"{site}/", output=output, **fields)


async def test_a_binary_body_is_described_then_saved(web, outputs):
    with serve({"/": Reply(headers={"Content-Type": "image/png"}, body=PNG)}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/")
        assert result.text == (
            f"200 image/png {site}/ (2.06 KB)\n\nNot text. Save it with output='download'."
        )
        result = await save(web, site, "pictures/one.png")
    path = outputs / "pictures" / "one.png"
    assert path.read_bytes() == PNG
    assert result.text == f"200 image/png {site}/ (2.06 KB)\nSaved to {path} (2,056 bytes)."
    assert result.data["path"] == str(path)


async def test_html_is_saved_as_it_came(web, outputs):
    page = "<p>raw &amp; unchanged\r\n"
    headers = {"Content-Encoding": "gzip"}
    with serve({"/": Reply(headers=headers, body=gzip.compress(page.encode()))}) as site:
        await save(web, site, "page.html")
        await save(web, site, str(outputs / "absolute.html"))
    assert (outputs / "page.html").read_bytes() == page.encode()
    assert sorted(file.name for file in outputs.iterdir()) == ["absolute.html", "page.html"]


async def test_an_existing_file_is_kept_and_nothing_is_asked_for(web, outputs):
    outputs.mkdir()
    (outputs / "a.txt").write_text("old")
    (outputs / "b.txt").symlink_to(outputs / "a.txt")
    with serve({"/": "new"}) as site:
        for name in ("a.txt", "b.txt"):
            call = {"resource": "http", "action": "fetch", "url": f"{site}/", "output": name}
            error = await web.fails(**call)
            assert (error.code, error.hint) == ("output", "Name another file.")
            assert str(error).startswith(f"{str(outputs / 'a.txt')!r} exists already.")
    assert site.requests == []
    assert (outputs / "a.txt").read_text() == "old"


@pytest.mark.parametrize(
    "output",
    [
        *("../out.txt", "/etc/out.txt", "a/../../out.txt", "link/out.txt", "file.lnk"),
        *("loop/x", "loop/link/x", "loop/../link/out.txt"),
    ],
)
async def test_nothing_is_written_outside(web, outputs, tmp_path, output):
    outputs.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (outputs / "link").symlink_to(elsewhere)
    (outputs / "loop").symlink_to(outputs / "loop")
    (outputs / "file.lnk").symlink_to(elsewhere / "out.txt")
    with serve({"/": "x"}) as site:
        with pytest.raises(UsageError):
            await save(web, site, output)
        assert site.requests == [], "refused before anything is sent"
    assert list(elsewhere.iterdir()) == []


async def test_a_folder_that_is_a_loop_of_links(web, outputs):
    outputs.symlink_to(outputs)
    with serve({"/": "x"}) as site:
        with pytest.raises(UsageError, match="cannot be resolved"):
            await save(web, site, "a.txt")
        assert site.requests == []


@pytest.mark.parametrize("output", [".", "folder", "new/", "  ", "a\x00b", "x" * 300])
async def test_what_is_no_file(web, outputs, output):
    (outputs / "folder").mkdir(parents=True)
    with serve({"/": "x"}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/", output=output)
    assert error.code in ("invalid_arguments", "output")


@pytest.mark.parametrize("fields", [{"start": 5}, {"method": "HEAD"}])
async def test_output_takes_whole_bodies_only(web, fields):
    with serve({"/": "x"}) as site, pytest.raises(UsageError, match="whole body"):
        await save(web, site, "a.txt", **fields)


async def test_an_error_page_is_saved_and_said_to_be_one(web):
    with serve({}) as site:
        result = await save(web, site, "report.pdf")
    assert result.text.startswith(f"404 text/html {site}/")


async def test_a_folder_that_cannot_be_written_leaves_nothing(web, outputs):
    outputs.mkdir()
    (outputs / "file").write_text("not a folder")
    with serve({"/": "x"}) as site:
        error = await web.fails(
            resource="http", action="fetch", url=f"{site}/", output="file/in-it.txt"
        )
    assert error.code == "output"
    assert [file.name for file in outputs.iterdir()] == ["file"]


async def test_what_a_killed_process_was_writing_is_removed(web, outputs):
    outputs.mkdir()
    old, young = outputs / ".strap-old.part", outputs / ".strap-young.part"
    for file in (old, young):
        file.write_text("half a file")
    os.utime(old, (time.time() - 3_600,) * 2)
    with serve({"/": "x"}) as site:
        await save(web, site, "a.txt")
    assert sorted(file.name for file in outputs.iterdir()) == [".strap-young.part", "a.txt"]


async def test_a_har_has_the_exchange_without_credentials(web, outputs):
    answer = Reply(
        body='{"ok": 1, "token": "t0ken"}',
        headers={"Content-Type": "application/json", "Set-Cookie": "sid=c00kie"},
    )
    with serve({"/": answer}) as site:
        sent = {"method": "POST", "body": '{"item": "spade", "password": "hunter2"}'}
        headers = {"Authorization": "Bearer abc-def", "Content-Type": "application/json"}
        result = await save(web, site, "order.har", headers=headers, **sent)
    assert f"Saved to {outputs / 'order.har'}" in result.text
    text = (outputs / "order.har").read_text()
    [entry] = entries_of(outputs / "order.har")
    assert entry["request"]["method"] == "POST"
    assert json.loads(entry["request"]["postData"]["text"])["item"] == "spade"
    assert entry["response"]["status"] == 200
    assert json.loads(entry["response"]["content"]["text"])["ok"] == 1
    assert entry["time"] > 0
    for secret in ("t0ken", "c00kie", "hunter2", "abc-def"):
        assert secret not in text
