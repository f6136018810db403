"""Owner of the program at the other end of a connection on this machine.

Linux tells it of a single connection (sock_diag(7)), or in a list of all; other systems do not.
"""

import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_BY_FAMILY = 20  # SOCK_DIAG_BY_FAMILY
_REQUEST = 1  # NLM_F_REQUEST
_HEADER = struct.Struct("=IHHII")  # nlmsghdr
_QUESTION = struct.Struct("=BBBxI2s2s16s16sIII")  # inet_diag_req_v2
_ANSWER = struct.Struct("=4x48xIIIII")  # inet_diag_msg
_ANY = 0xFFFF_FFFF
_LISTS = {socket.AF_INET: Path("/proc/net/tcp"), socket.AF_INET6: Path("/proc/net/tcp6")}
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9
"""Columns of the list."""
Address = tuple[str, int]


class Peers:
    """Tells strangers from programs of the user that this process runs as."""

    def __init__(self) -> None:
        self._kernel: socket.socket | None = None
        self._opened = False
        """Whether the kernel was to be asked before: not until somebody connects."""
        self._tells = False
        """Whether it has told of a connection before: where it is silent, there is none then."""

    def close(self) -> None:
        """Ask no more."""
        self._opened = True
        if self._kernel is not None:
            self._kernel.close()
            self._kernel = None

    def is_stranger(self, peer: Address, local: Address) -> bool:
        """Whether the socket at `peer` is another user's; closed and unknown ones are not."""
        try:
            return self.owner(peer, local) != os.geteuid()
        except OSError:
            return False

    def owner(self, peer: Address, local: Address) -> int | None:
        """Return the user of the socket at `peer`, None without one; raises `OSError`."""
        owner = self._owner(peer, local)
        return _listed(peer, local) if owner is None and not self._tells else owner

    def _open(self) -> socket.socket | None:
        if not self._opened:
            self._opened = True
            with suppress(OSError, AttributeError):
                self._kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG)
                self._kernel.setblocking(False)
        return self._kernel

    def _owner(self, peer: Address, local: Address) -> int | None:
        """Return whose socket it is; None where that cannot be asked, or there is no such."""
        kernel = self._open()
        if kernel is None:
            return None
        question = _QUESTION.pack(
            _family(peer), socket.IPPROTO_TCP, 0, _ANY,
            peer[1].to_bytes(2, "big"), local[1].to_bytes(2, "big"),
            _packed(peer), _packed(local),
            0, _ANY, _ANY,
        )  # fmt: skip
        length = _HEADER.size + len(question)
        try:
            kernel.send(_HEADER.pack(length, _BY_FAMILY, _REQUEST, 0, 0) + question)
            answer = kernel.recv(4096)
        except OSError:
            return None
        if _HEADER.unpack_from(answer)[1] != _BY_FAMILY:
            return None
        self._tells = True
        *_, user, inode = _ANSWER.unpack_from(answer, _HEADER.size)
        return int(user) if inode else None


def _listed(peer: Address, local: Address) -> int | None:
    """Return whose socket it is by the list of all; raises `OSError` where there is none."""
    pair = [_written(peer), _written(local)]
    for line in _LISTS[_family(peer)].read_text("ascii").splitlines()[1:]:
        fields = line.split()
        if fields[_LOCAL : _REMOTE + 1] == pair and fields[_INODE] != "0":
            return int(fields[_USER])
    return None


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET


def _packed(address: Address) -> bytes:
    return socket.inet_pton(_family(address), address[0])


def _written(address: Address) -> str:
    """An address as the list writes it: words of the processor's order, the port."""
    packed = _packed(address)
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{address[1]:04X}"
