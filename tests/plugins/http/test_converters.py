"""The hook `strap_register_converters`: what a plugin adds to the kinds of files shown."""

import asyncio
import os
import signal
import textwrap
from pathlib import Path

import pytest

from strap import Converter, Extra, StartupError, hookimpl, install_command, testing
from tests.site.server import Reply, serve
from tests.support.processes import alive
from tests.support.waiting import becomes

pytestmark = pytest.mark.anyio

KIND = "application/vnd.example.notes"
SOURCE = """
    import os

    def upper(content, media_type):
        if content == b"locked":
            raise ValueError("needs a key")
        if content == b"broken":
            raise KeyError("x")
        if content == b"endless":
            while True:
                pass
        if content == b"waiting":
            import time
            time.sleep(60)
        if content == b"large":
            return str(len(bytearray(2_000_000_000)))
        if content.startswith(b"child"):
            import subprocess
            own = content.endswith(b"own")
            return str(subprocess.Popen(["sleep", "600"], start_new_session=own).pid)
        if content == b"dead":
            os._exit(3)
        return {b"none": None, b"long": "x" * 4_000_000}.get(content, content.decode().upper())
"""


def plugin(*converters):
    class Notes:
        @hookimpl
        def strap_register_converters(self, config):
            return converters

    return Notes()


NOTES = Converter(
    what="note",
    media_types=(KIND, "text/x-notes"),
    suffixes=(".notes",),
    function="notes_converter:upper",
    seconds=0.5,
)


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """The module of the converter, where the process apart finds it."""
    (tmp_path / "notes_converter.py").write_text(textwrap.dedent(SOURCE))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


async def shown(tmp_path, body, media_type=KIND, path="/f", converter=NOTES, **fields):
    async with testing.router(plugin(converter), home=tmp_path, network="local") as web:
        with serve({path: Reply(headers={"Content-Type": media_type}, body=body)}) as site:
            result = await web(resource="http", action="fetch", url=f"{site}{path}", **fields)
    return result.text.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("media_type", "path"),
    [
        (KIND, "/f"),
        ("text/x-notes; charset=utf-8", "/f"),
        ("text/plain", "/a.NOTES"),
        ("", "/a.notes"),
    ],
)
async def test_a_plugin_shows_its_kind_of_file(notes, tmp_path, media_type, path):
    assert await shown(tmp_path, b"one", media_type, path) == "ONE"


async def test_other_kinds_and_sources_stay_as_they_are(notes, tmp_path):
    assert await shown(tmp_path, b"one", "text/plain", "/a.txt") == "one"
    assert await shown(tmp_path, b"one", "text/x-notes", value="raw") == "one"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"locked", "The note needs a key."),
        (b"broken", "The note cannot be read (KeyError)."),
        (b"\xff\xfe", "The note cannot be read (UnicodeDecodeError)."),
        (b"none", "The note has no text."),
        (b"large", "The note takes too much memory to read."),
        (b"endless", "The note takes too long to read, or too much memory."),
        (b"waiting", "The note takes too long to read, or too much memory."),
        (b"dead", "The note takes too long to read, or too much memory."),
    ],
)
async def test_a_file_that_it_cannot_show_is_described(notes, tmp_path, body, said):
    assert await shown(tmp_path, body) == f"{said} Save it with output='f'."


async def test_a_text_that_it_cannot_show_comes_as_it_is(notes, tmp_path):
    assert await shown(tmp_path, b"locked", "text/x-notes") == "locked"


async def test_a_long_text_is_cut_and_says_so(notes, tmp_path):
    text = await shown(tmp_path, b"long", text="Only the first")
    assert text.rstrip().endswith(
        "[Only the first 3,000,000 characters are shown. All of it is in the file: output='f'.]"
    )


@pytest.mark.parametrize(("body", "said"), [(b"broken", "KeyError: 'x'"), (b"dead", "ended its")])
async def test_the_log_tells_which_converter_failed_and_where(notes, tmp_path, caplog, body, said):
    """The author of one was told no more than the class of the error."""
    await shown(tmp_path, body)
    (told,) = (record.getMessage() for record in caplog.records if record.levelname == "WARNING")
    assert told.startswith("notes_converter:upper ")
    assert "/f" in told
    assert said in told


async def test_a_converter_whose_libraries_are_missing_names_the_command(tmp_path):
    extra = Extra(name="all", modules=("no_such_module",), distribution="strap-notes")
    converter = Converter(what="note", media_types=(KIND,), function="a:b", extra=extra)
    text = await shown(tmp_path, b"x", converter=converter)
    assert text.startswith(f"Reading notes needs: {install_command('strap-notes[all]')}.")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"what": ""}, "what"),
        ({"media_types": ()}, "media_types"),
        ({"media_types": "application/pdf"}, "media_types"),
        ({"media_types": ("Application/X",)}, "media_types"),
        ({"media_types": (KIND, "text/html")}, r"media_types: .* of which none is that of a page"),
        ({"function": "no colon"}, "function: 'no colon', not 'module:function'."),
        ({"function": len}, "function"),
        ({"suffixes": ("notes",)}, r"suffixes: \('notes',\), not a tuple such as \('.note',\)\."),
        ({"seconds": 0}, "seconds"),
        ({"seconds": 3_600}, "seconds"),
        ({"extra": "all"}, "extra"),
    ],
)
async def test_a_wrong_declaration_is_named(tmp_path, fields, said):
    good = {"what": "note", "media_types": (KIND,), "function": "a:b"}
    with pytest.raises(StartupError, match=f"a converter has a wrong {said}"):
        async with testing.router(plugin(Converter(**good | fields)), home=tmp_path):
            pass


async def test_two_converters_of_one_kind_clash(tmp_path):
    pdf = Converter(what="note", media_types=("application/pdf",), function="a:b")
    said = "'application/pdf' is converted twice: by plugin 'http' and by plugin 'Notes'"
    with pytest.raises(StartupError, match=said):
        async with testing.router(plugin(pdf), home=tmp_path):
            pass


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="without groups of processes")
@pytest.mark.parametrize("body", [b"child", b"child of its own"])
async def test_a_process_that_a_converter_leaves_holds_nobody_up(notes, tmp_path, body):
    async with asyncio.timeout(20):
        child = int(await shown(tmp_path, body))
    if body.endswith(b"own"):  # it left the group of the worker
        os.kill(child, signal.SIGKILL)
    await becomes(lambda: alive(child), False)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="without /proc")
@pytest.mark.parametrize("again", [True, False], ids=["next file", "end"])
async def test_a_process_is_ended_though_its_worker_is_gone_already(notes, tmp_path, again):
    reply = Reply(headers={"Content-Type": KIND}, body=b"child")
    async with testing.router(plugin(NOTES), home=tmp_path, network="local") as web:
        with serve({"/f": reply}) as site:
            call = {"resource": "http", "action": "fetch", "url": f"{site}/f"}
            child = int((await web(**call)).text.split()[-1])
            worker = os.getpgid(child)
            os.kill(worker, signal.SIGKILL)
            await becomes(Path(f"/proc/{worker}").exists, False)
            if again:
                await web(**call)
                await becomes(lambda: alive(child), False)
    await becomes(lambda: alive(child), False)
