"""The XML parts of a document that is a ZIP file, as far as they are safe to read."""

import io
import posixpath
import zipfile
import zlib
from typing import Any

MOST = 8_388_608
"""Bytes of a document's parts, unpacked, that are read here; what goes beyond is left unread."""
MOST_COPIED = 33_554_432
"""Bytes of all parts, unpacked, of a document that is written anew, but pictures and the like."""
_LOOK = 512
"""Bytes that to look for a part counts as, so that ever so many small ones come to an end."""
_TEXTS = (".xml", ".rels", "mimetype")
"""How names of parts end that are more than something to look at."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways to pack that the formats have (ECMA-376, part 2, annex C; OpenDocument 1.3, part 2, 3.2)."""
_DIRECTORY = 1_048_576
"""Bytes of the list of all files in the ZIP file: some ten thousand names."""
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"
_END_REACH = 65_557  # bytes: the record at the end, with the longest comment
_SAFELY = {"resolve_entities": False, "remove_comments": True, "remove_pis": True}
_LIES = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError)
"""Errors of reading a ZIP file that is damaged, encrypted or packed in a rare way."""


class Parts:
    """The parts of a package; raises `ValueError` where `content` is none, or one too large."""

    def __init__(self, content: bytes) -> None:
        tail = content[-_END_REACH:]
        end = tail.rfind(_END)
        size = int.from_bytes(tail[end + 12 : end + 16], "little")
        if end < 0 or size > _DIRECTORY or _END_64 in tail:
            raise ValueError("is not a ZIP file of usual size")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except (*_LIES, LookupError, UnicodeError) as error:
            raise ValueError("is damaged") from error
        self._left = MOST
        self._changed: dict[str, bytes] = {}

    def raw(self, name: str) -> bytes:
        """Return a part, empty if there is none that can be read."""
        self._left -= _LOOK
        try:
            content = self._read(name, self._left)
        except (*_LIES, LookupError, ValueError):
            return b""
        self._left -= len(content)
        return content

    def _read(self, name: str, most: int) -> bytes:
        """Return a part; raises `ValueError` for one of more than `most` bytes, among others."""
        known = self._archive.getinfo(name)
        if known.file_size > most or known.compress_type not in _PACKED:
            raise ValueError("is too large, or packed in a rare way")
        with self._archive.open(name) as part:
            return part.read(known.file_size)

    def xml(self, name: str) -> Any:
        """Return the root of a part, None if there is none; nothing is expanded or fetched."""
        return self.parsed(self.raw(name))

    def parsed(self, source: bytes) -> Any:
        """Return the root of `source`, None if it is no XML."""
        from lxml import etree  # type: ignore[import-untyped]

        try:
            return etree.fromstring(source, etree.XMLParser(**_SAFELY)) if source else None
        except (etree.LxmlError, ValueError):
            return None

    def related(self, name: str, ending: str) -> list[str]:
        """Names of the parts that `name` leads to by such a relation; "" is the package itself."""
        return list(self.relations(name, ending).values())

    def relations(self, name: str, ending: str) -> dict[str, str]:
        """The same by the names of the relations, as the XML of `name` refers to them."""
        folder, _, last = name.rpartition("/")
        root = self.xml(f"{folder}/_rels/{last}.rels".lstrip("/"))
        return {
            str(relation.get("Id")): posixpath.normpath(posixpath.join("/", folder, target)).lstrip(
                "/"
            )
            for relation in (root.iter("{*}Relationship") if root is not None else ())
            if (target := relation.get("Target")) and relation.get("TargetMode") != "External"
            if str(relation.get("Type")).endswith(ending)
        }

    def addresses(self, name: str) -> dict[str, str]:
        """Addresses outside the package that a part leads to, by the names of the relations."""
        folder, _, last = name.rpartition("/")
        root = self.xml(f"{folder}/_rels/{last}.rels".lstrip("/"))
        return {
            str(relation.get("Id")): str(relation.get("Target"))
            for relation in (root.iter("{*}Relationship") if root is not None else ())
            if relation.get("TargetMode") == "External"
        }

    @property
    def is_changed(self) -> bool:
        """Whether `packed` has something to write."""
        return bool(self._changed)

    def change(self, name: str, root: Any) -> None:
        """Let `packed` have `root` in place of the part."""
        from lxml import etree

        self._changed[name] = etree.tostring(root, encoding="utf-8", xml_declaration=True)

    def packed(self) -> bytes:
        """Return the changed package without pictures; empty if unchanged or too large."""
        names, left = self._archive.namelist() if self._changed else (), MOST_COPIED
        stream = io.BytesIO()
        try:
            with zipfile.ZipFile(stream, "w") as anew:  # the first part stays first, uncompressed
                for name in names:
                    is_text = name.endswith(_TEXTS)
                    content = self._changed.get(name) or (
                        self._read(name, left) if is_text else b""
                    )
                    left -= len(content)
                    anew.writestr(name, content)
        except (*_LIES, LookupError, ValueError):
            return b""
        return stream.getvalue() if names else b""
