"""The server's side of SOCKS 5 (RFC 1928), as far as browsers use it: CONNECT, no credentials."""

from asyncio import StreamReader, StreamWriter
from ipaddress import IPv4Address, IPv6Address

VERSION = 5
GRANTED, NOT_ALLOWED, UNREACHABLE, REFUSED, BAD_COMMAND, BAD_ADDRESS = 0, 2, 4, 5, 7, 8
_NO_CREDENTIALS, _NO_METHOD = 0, 0xFF
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4


class SocksError(Exception):
    """The client asks for what is not served; `reply` is the code to answer with, if any."""

    def __init__(self, reply: int | None = None) -> None:
        super().__init__(f"SOCKS reply {reply}")
        self.reply = reply


async def greet(reader: StreamReader, writer: StreamWriter) -> None:
    """Agree on a method, once the version has been read; raises `SocksError`."""
    (count,) = await reader.readexactly(1)
    known = _NO_CREDENTIALS in await reader.readexactly(count)
    writer.write(bytes((VERSION, _NO_CREDENTIALS if known else _NO_METHOD)))
    if not known:
        raise SocksError


async def read_request(reader: StreamReader) -> tuple[str, int]:
    """Return the host and the port that the client wants to be connected to."""
    version, command, _, kind = await reader.readexactly(4)
    if kind == _IPV4:
        host = str(IPv4Address(await reader.readexactly(4)))
    elif kind == _IPV6:
        host = str(IPv6Address(await reader.readexactly(16)))
    elif kind == _NAME:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii", "replace")
    else:
        raise SocksError(BAD_ADDRESS)
    port = int.from_bytes(await reader.readexactly(2), "big")
    if version != VERSION or command != _CONNECT:
        raise SocksError(BAD_COMMAND)
    return host, port


def reply(code: int) -> bytes:
    """The answer to a request; browsers do not look at the address in it."""
    return bytes((VERSION, code, 0, _IPV4)) + bytes(6)
