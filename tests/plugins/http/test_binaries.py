"""Bodies that are no text: PDF files are read, the rest is described."""

import struct
import zlib
from dataclasses import replace

import pytest

from strap import Workers, install_command
from strap.documents.converting import Readers
from strap.documents.media_types import kind_of
from strap_http.converters import CONVERTERS
from tests.plugins.http.documents import pdf, scan
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio


ZEROS = b"00" * 32
LOCK = b"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (ZEROS, ZEROS)


def png(width, height):
    head = struct.pack(">II", width, height) + b"\x08\x06\x00\x00\x00"
    crc = struct.pack(">I", zlib.crc32(b"IHDR" + head))
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + head + crc


async def fetched(web, body, media_type="application/octet-stream", **fields):
    with serve({"/f": Reply(headers={"Content-Type": media_type}, body=body)}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/f", **fields)
    return result.text.partition("\n\n")[2]


async def test_scanned_pages_between_others_say_so(web):
    text = await fetched(web, scan(pdf("One", "", "Three")))
    assert "[Page 2 of 3]\n(A picture without text.)\n\n[Page 3 of 3]\nThree" in text


async def test_a_pdf_file_is_read(web):
    assert await fetched(web, pdf("Good morning"), "application/pdf") == "Good morning"


FILLED = b"/Subtype/Widget/FT/Tx/T(name)/TU(Your name)/V(Ada\rLovelace)"
EMPTY = b"/Subtype/Widget/FT/Tx/T(town)"
TICKED = b"/Subtype/Widget/FT/Btn/T(terms)/V/Yes/AS/Yes/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>"
UNTICKED = b"/Subtype/Widget/FT/Btn/T(news)/V/Off/AS/Off/AP<</N<</Yes 3 0 R/Off 3 0 R>>>>"
CHOSEN = (
    b"/Subtype/Widget/FT/Ch/T(form.way)/Ff 2097152/V[(a)(r)]/I[0 2]"
    b"/Opt[[(a)(By air)][(s)(By sea)][(r)(By rail)]]"
)
SIGNED = b"/Subtype/Widget/FT/Sig/T(form.owner)/V<</Type/Sig>>"
MARKED = (
    b"/Subtype/Highlight/QuadPoints[72 640 372 640 72 600 372 600]/T(Bob)/Contents(Is that so?)"
)
WRITTEN = b"/Subtype/FreeText/DA(/F1 12 Tf)/Contents(Written beside)"


async def test_a_pdf_file_with_what_was_filled_in(web):
    form = pdf("Name:", "Page two", notes=[FILLED, EMPTY, TICKED, UNTICKED, CHOSEN, SIGNED])
    assert await fetched(web, form) == (
        "[Page 1 of 2]\nName:\n[Filled in]\nYour name: Ada Lovelace\nterms: (ticked)\n"
        "way: By air, By rail\nowner: (signed)\n\n[Page 2 of 2]\nPage two"
    )
    assert await fetched(web, pdf("", notes=[FILLED])) == "[Filled in]\nYour name: Ada Lovelace"


async def test_a_pdf_file_with_what_was_said_about_it(web):
    text = await fetched(web, pdf("It rose.", "The end.", notes=[MARKED, WRITTEN]))
    assert text == (
        "[Page 1 of 2]\nIt rose.\n\n[Page 2 of 2]\nThe end.\n\n"
        "## Comments\n\n- page 1, Bob: Is that so?\n- page 1: Written beside"
    )


async def test_what_a_pdf_file_hides_is_left_out(web):
    hidden = [note + b"/F 2" for note in (FILLED, MARKED)]
    assert await fetched(web, pdf("Name:", notes=hidden)) == "Name:"


async def test_a_pdf_file_in_parts_with_the_numbers_of_its_pages(web):
    body = pdf(*(f"This is what page {n} has to say to the reader" for n in range(1, 41)))
    text = await fetched(web, body, max_tokens=200)
    assert text.startswith(
        "[Page 1 of 40]\nThis is what page 1 has to say to the reader\n\n[Page 2"
    )
    assert "Next part: the same call with start=" in text


LOOK = "Look at it with resource=browser: navigate there, then screenshot."


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"%PDF-1.7 and nothing that follows", "The PDF file is damaged."),
        (pdf(""), f"The PDF file has no text. {LOOK}"),
        (
            scan(pdf("", "")),
            f"The PDF file has no text, only pictures: it is scanned (2 pages). {LOOK}",
        ),
        (
            pdf("x", trailer=LOCK),
            "The PDF file needs a password.",
        ),
    ],
    ids=["damaged", "empty", "scanned", "locked"],
)
async def test_a_pdf_file_that_cannot_be_read(web, body, said):
    text = await fetched(web, body)
    assert text == f"{said} Save it with output='f'."


async def test_a_pdf_file_that_takes_too_long():
    workers = Workers()
    (converter, *_) = CONVERTERS
    readers = Readers(workers)
    hasty = replace(converter, seconds=0.001)
    text, why = await readers.convert(hasty, pdf(*["x"] * 2_000), "application/pdf")
    await workers.aclose()
    assert (text, why) == ("", "The PDF file takes too long to read, or too much memory.")


async def test_without_the_library_the_answer_names_the_command(web, monkeypatch):
    monkeypatch.setattr("strap.api.extras.find_spec", lambda name: None)
    text = await fetched(web, pdf("x"))
    needs = f"Reading PDF files needs: {install_command('strap-web[pdf]')}."
    assert text == f"{needs} Save it with output='f'."


async def test_a_picture_is_described(web):
    text = await fetched(web, png(1200, 800), "image/png")
    assert text == "A picture of 1200 x 800 pixels. Save it with output='f'."
    assert await fetched(web, b"GIF89a", "image/gif") == "Not text. Save it with output='f'."


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"\x00\x00\x00\x1cftypavif", "image/avif"),
        (b"\x00\x00\x00\x1cftypisom", "video/mp4"),
        (b"II*\x00", "image/tiff"),
    ],
)
async def test_types_by_their_first_bytes(body, media_type):
    assert kind_of("application/octet-stream", body) == ("binary", media_type)
