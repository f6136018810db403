"""Documents of other kinds, as small as their formats allow."""

import io
import struct
import zipfile

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_OOXML = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OOXML}wordprocessingml.document"
XLSX = f"{_OOXML}spreadsheetml.sheet"
PPTX = f"{_OOXML}presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"


def package(files):
    """A ZIP file; `mimetype` goes in first and uncompressed, as OPF and ODF want it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else None
            archive.writestr(name, content, stored)
    return stream.getvalue()


def more(document, files):
    """The document with further parts, or others in place of those that it has."""
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        return package({name: archive.read(name) for name in archive.namelist()} | files)


def relations(**targets):
    """The relations of a part: types, as the last of their names, to parts in the same folder."""
    return (
        f'<Relationships xmlns="{_RELS}">'
        + "".join(
            f'<Relationship Id="{kind}{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
            for kind, names in targets.items()
            for n, target in enumerate(names)
        )
        + "</Relationships>"
    )


def _ooxml(main, kind, more):
    override = f'<Override PartName="/{main}" ContentType="{kind}.main+xml"/>'
    target = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="{main}"/>'
    rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.rel'
    return package(
        {
            "[Content_Types].xml": f'<Types xmlns="{_TYPES}">{rels}ationships+xml"/>'
            f'<Default Extension="xml" ContentType="application/xml"/>{override}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{_RELS}">{target}</Relationships>',
            **more,
        }
    )


def paragraph(text, level=0):
    """A paragraph, or a heading of that level."""
    look = f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr>' if level else ""
    return f"<w:p>{look}<w:r><w:t>{text}</w:t></w:r></w:p>"


def slides():
    """A presentation without slides."""
    root = f'<p:presentation xmlns:p="{_SLIDES}"><p:notesSz cx="9" cy="9"/></p:presentation>'
    return _ooxml("ppt/presentation.xml", PPTX, {"ppt/presentation.xml": root})


def docx(body, *, declared="", relations=""):
    """A Word document with `body` in it; `declared` stands before the root."""
    document = f'{declared}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    rels = f'<Relationships xmlns="{_RELS}">{relations}</Relationships>'
    more = {"word/document.xml": document, "word/_rels/document.xml.rels": rels}
    return _ooxml("word/document.xml", DOCX, more)


def xlsx(rows, *, dimension="A1"):
    cells = "".join(
        f'<row r="{y}">'
        + "".join(
            f'<c r="{chr(64 + x)}{y}" t="inlineStr"><is><t>{value}</t></is></c>'
            for x, value in enumerate(row, 1)
        )
        + "</row>"
        for y, row in enumerate(rows, 1)
    )
    book = (
        f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Prices" sheetId="1" r:id="r1"/></sheets></workbook>'
    )
    sheet = f'<worksheet xmlns="{_SHEET}"><dimension ref="{dimension}"/>'
    target = f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    more = {
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELS}">{target}</Relationships>',
        "xl/worksheets/sheet1.xml": f"{sheet}<sheetData>{cells}</sheetData></worksheet>",
    }
    return _ooxml("xl/workbook.xml", XLSX, more)


def odt(body, *, manifest="", declared=""):
    office, text, table = (f"{_ODF}{name}:1.0" for name in ("office", "text", "table"))
    content = (
        f'{declared}<office:document-content xmlns:office="{office}" xmlns:text="{text}" '
        f'xmlns:table="{table}" office:version="1.3"><office:body><office:text>{body}'
        "</office:text></office:body></office:document-content>"
    )
    entry = f'<manifest:file-entry manifest:full-path="content.xml">{manifest}'
    listed = f'<manifest:manifest xmlns:manifest="{_ODF}manifest:1.0">{entry}'
    end = "</manifest:file-entry></manifest:manifest>"
    return package(
        {"mimetype": ODT, "META-INF/manifest.xml": f"{listed}{end}", "content.xml": content}
    )


def epub(*chapters):
    root = '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/>'
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n, _ in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n, _ in enumerate(chapters))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The book</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    return package(
        {
            "mimetype": EPUB,
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:'
            f'opendocument:xmlns:container"><rootfiles>{root}</rootfiles></container>',
            "b.opf": opf,
            **{f"c{n}.xhtml": page.format(chapter) for n, chapter in enumerate(chapters)},
        }
    )


def ole(*names):
    """A compound file with empty streams of these names, three at most (MS-CFB 2.2, 2.3, 2.6)."""
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    head = struct.pack(
        "<8s16x5H6x9I",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6),
        *(0, 1, 1, 0, 4096, end, 0, end, 0),
    )
    difat = struct.pack("<109I", 0, *[free] * 108)
    fat = struct.pack("<128I", 0xFFFFFFFD, end, *[free] * 126)
    entries = [_entry("Root Entry", 5, child=1 if names else free)]
    for number, name in enumerate(names, 1):
        entries.append(_entry(name, 2, right=number + 1 if number < len(names) else free))
    return head + difat + fat + b"".join(entries).ljust(512, b"\0")


def _entry(name, kind, *, right=0xFFFFFFFF, child=0xFFFFFFFF):
    written = name.encode("utf-16-le")
    fields = (written, len(written) + 2, kind, 1, 0xFFFFFFFF, right, child, 0xFFFFFFFE)
    return struct.pack("<64sHBBIII36xI8x", *fields)


def pdf(*pages, trailer=b"", notes=()):
    """A PDF file with one line of text on each page (ISO 32000-1, 7.5), and `notes` on the first.

    They are what stands in the dictionaries of annotations (12.5.2).
    """
    kids = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(pages)))
    noted = b" ".join(b"%d 0 R" % (4 + 2 * len(pages) + n) for n in range(len(notes)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[%s]/DA(/F1 12 Tf)"
        b"/DR<</Font<</F1 3 0 R>>>>>>>>" % noted
        if notes
        else b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        drawn = b"BT /F1 24 Tf 72 700 Td (%s) Tj ET" % text.encode()
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>%s>>"
            % (5 + 2 * number, b"/Annots[%s]" % noted if notes and not number else b"")
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn))
    objects += [b"<</Type/Annot/Rect[72 600 372 640]/F 4%s>>" % note for note in notes]
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    body, start = body + b"xref\n0 %d\n0000000000 65535 f \n" % count + table, len(body)
    body += b"trailer<</Size %d/Root 1 0 R%s>>\n" % (count, trailer)
    return body + b"startxref\n%d\n%%%%EOF" % start


def scan(file):
    """The same file with a picture in place of each page without text."""
    picture = b"BI/W 1/H 1/BPC 8/CS/G ID x EI".ljust(len(b"BT /F1 24 Tf 72 700 Td () Tj ET"))
    return file.replace(b"BT /F1 24 Tf 72 700 Td () Tj ET", picture)
