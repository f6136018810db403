"""Guards around every test, and the fixtures that all of them share."""

import os
import socket
import warnings

import pytest


@pytest.fixture(scope="session")
def o200k():
    """The tokenizer that sizes are stated in."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it opens its data in a deprecated way
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(autouse=True)
def environment_is_left_alone():
    before = dict(os.environ)
    yield
    ignored = {"PYTEST_CURRENT_TEST"}
    after = {k: v for k, v in os.environ.items() if k not in ignored}
    assert after == {k: v for k, v in before.items() if k not in ignored}


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch):
    """Refuse connections of this process to anything but loopback."""
    connect = socket.socket.connect

    def guarded(self, address):
        host = address[0] if isinstance(address, tuple) else None
        if host is not None and not (host.startswith("127.") or host in ("localhost", "::1")):
            raise AssertionError(f"a test connects to {address!r}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
