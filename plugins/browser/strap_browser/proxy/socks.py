"""SOCKS 5 (RFC 1928): the server's side as far as browsers use it, the client's side of CONNECT."""

import re
from asyncio import StreamReader, StreamWriter
from ipaddress import IPv4Address, IPv6Address, ip_address

VERSION = 5
GRANTED, NOT_ALLOWED, UNREACHABLE, REFUSED, BAD_COMMAND, BAD_ADDRESS = 0, 2, 4, 5, 7, 8
_NO_CREDENTIALS, _PASSWORD, _NO_METHOD = 0, 2, 0xFF
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_HOST = re.compile(r"[A-Za-z0-9._-]+")


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
        host = (await reader.readexactly(length)).decode("latin-1")
    else:
        raise SocksError(BAD_ADDRESS)
    port = int.from_bytes(await reader.readexactly(2), "big")
    if version != VERSION or command != _CONNECT:
        raise SocksError(BAD_COMMAND)
    if kind == _NAME and not (_HOST.fullmatch(host) or _is_address(host)):
        raise SocksError(UNREACHABLE)
    return host, port


def _is_address(host: str) -> bool:
    """Whether a name is an address of IPv6, which Chromium writes out."""
    try:
        return isinstance(ip_address(host), IPv6Address) and "%" not in host
    except ValueError:
        return False


def reply(code: int) -> bytes:
    """The answer to a request; browsers do not look at the address in it."""
    return bytes((VERSION, code, 0, _IPV4)) + bytes(6)


async def log_in(stream: tuple[StreamReader, StreamWriter], user: str, password: str) -> bool:
    """Agree with a server on a method, and log in (RFC 1929); returns whether it lets us in.

    Raises `SocksError` for what is no SOCKS server.
    """
    reader, writer = stream
    offered = (_NO_CREDENTIALS, _PASSWORD) if user or password else (_NO_CREDENTIALS,)
    writer.write(bytes((VERSION, len(offered), *offered)))
    version, method = await reader.readexactly(2)
    if version != VERSION:
        raise SocksError
    if method != _PASSWORD:
        return bool(method == _NO_CREDENTIALS)
    name, word = user.encode()[:255], password.encode()[:255]
    writer.write(bytes((1, len(name), *name, len(word), *word)))
    return (await reader.readexactly(2))[1] == 0


async def ask(stream: tuple[StreamReader, StreamWriter], host: str, port: int) -> int:
    """Ask a server to connect to `host`, a name or an address; returns the code of its answer."""
    reader, writer = stream
    try:
        address = ip_address(host)
        kind, where = (_IPV4 if address.version == 4 else _IPV6), address.packed
    except ValueError:
        kind, where = _NAME, bytes((len(host.encode()[:255]), *host.encode()[:255]))
    writer.write(bytes((VERSION, _CONNECT, 0, kind, *where)) + port.to_bytes(2, "big"))
    version, code, _, kind = await reader.readexactly(4)
    if version != VERSION or kind not in (_IPV4, _NAME, _IPV6):
        raise SocksError
    length = {_IPV4: 4, _IPV6: 16}.get(kind) or (await reader.readexactly(1))[0]
    await reader.readexactly(length + 2)
    return code
