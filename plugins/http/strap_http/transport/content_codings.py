"""Content codings, undone in bounded pieces; a body that breaks off is noticed."""

import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

PIECE = 1_048_576
"""Most bytes that come out at once: a few bytes may stand for a gigabyte."""
_GZIP = b"\x1f\x8b"


class Undecodable(ValueError):
    """The bytes are not in the coding that they are said to be in."""


class TruncatedBody(Undecodable):
    """The bytes end before the coded data does."""


class Coding(Protocol):
    """One content coding (RFC 9110 8.4.1) on its way back."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield what comes out for the next bytes; raises `Undecodable`."""

    @property
    def finished(self) -> bool:
        """Whether the data may end here."""


class _Zlib:
    """gzip (RFC 1952), of one member or several, and deflate, with the zlib frame or without."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._inflate: zlib._Decompress | None = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        while data:
            inflate = self._begun(data)
            if inflate is None:
                return  # what follows the end is no part of the content
            try:
                piece = inflate.decompress(data, PIECE)
                while piece:
                    yield piece
                    piece = inflate.decompress(inflate.unconsumed_tail, PIECE)
            except zlib.error as error:
                raise Undecodable(str(error)) from None
            data = inflate.unused_data if inflate.eof else b""

    def _begun(self, data: bytes) -> "zlib._Decompress | None":
        """The member that `data` belongs to, begun if it is a new one."""
        if self._inflate is None:
            framed = data[0] & 0x0F == zlib.DEFLATED  # a raw stream does not begin like that
            raw = not self._gzip and not framed
            wbits = zlib.MAX_WBITS | 16 if self._gzip else zlib.MAX_WBITS
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS if raw else wbits)
        elif self._inflate.eof:
            if not self._gzip or not data.startswith(_GZIP):
                return None
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        return self._inflate

    @property
    def finished(self) -> bool:
        return self._inflate is None or self._inflate.eof


class _Brotli:
    """Brotli (RFC 7932)."""

    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]

        self._error = brotli.error
        self._decompressor = brotli.Decompressor()
        self._begun = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._begun = True
        try:
            # It may give twice as much as it is asked for.
            piece = self._decompressor.process(data, output_buffer_limit=PIECE // 2)
            while piece:
                yield piece
                piece = self._decompressor.process(b"", output_buffer_limit=PIECE // 2)
        except self._error as error:
            raise Undecodable(str(error)) from None

    @property
    def finished(self) -> bool:
        return not self._begun or bool(self._decompressor.is_finished())


class _Zstandard:
    """Zstandard (RFC 8878), of one frame or several."""

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression.zstd import ZstdDecompressor, ZstdError
        else:
            from backports.zstd import ZstdDecompressor, ZstdError

        self._error = ZstdError
        self._new = ZstdDecompressor
        self._decompressor = ZstdDecompressor()
        self._begun = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._begun = True
        try:
            while data:
                if self._decompressor.eof:
                    self._decompressor = self._new()
                yield self._decompressor.decompress(data, PIECE)
                while not (self._decompressor.needs_input or self._decompressor.eof):
                    yield self._decompressor.decompress(b"", PIECE)
                data = self._decompressor.unused_data if self._decompressor.eof else b""
        except self._error as error:
            raise Undecodable(str(error)) from None

    @property
    def finished(self) -> bool:
        return not self._begun or self._decompressor.eof


class Decoder:
    """Undoes the codings of a Content-Encoding, in which they stand in the order applied."""

    def __init__(self, codings: Sequence[str]) -> None:
        decoders = (_coding(name.strip().lower()) for name in reversed(codings))
        self._stages = [coding for coding in decoders if coding is not None]

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the content that comes out for the next bytes; raises `Undecodable`."""
        return _through(self._stages, data)

    def finish(self) -> None:
        """Raise `BrokenOff` if the data may not end here."""
        if not all(stage.finished for stage in self._stages):
            raise TruncatedBody


def _through(stages: Sequence[Coding], data: bytes) -> Iterator[bytes]:
    pieces: Iterable[bytes] = (data,)
    for stage in stages:
        pieces = _decoded(stage, pieces)
    yield from pieces


def _decoded(stage: Coding, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if piece:
            yield from stage.decode(piece)


def _coding(name: str) -> Coding | None:
    match name:
        case "gzip" | "x-gzip":
            return _Zlib(gzip=True)
        case "deflate":
            return _Zlib(gzip=False)
        case "br":
            return _Brotli()
        case "zstd":
            return _Zstandard()
    return None
