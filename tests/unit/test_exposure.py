"""Warnings to an operator about a server that other machines reach."""

import socket

import pytest

from strap import StartupError
from strap.mcp.http.allowed_hosts import check_names
from strap.mcp.http.exposure import warnings

LONG = "a token of many characters"


def told(host, names=(), token=LONG):
    with socket.create_server((host, 0)) as listener:
        return " ".join(warnings(listener, host, names, token))


def test_nothing_on_loopback():
    assert told("127.0.0.1", token="") == ""


@pytest.mark.parametrize(("token", "weak"), [("short", True), (LONG, False)])
def test_a_token_that_can_be_guessed(token, weak):
    assert ("can be guessed: take 16" in told("0.0.0.0", ["a"], token)) is weak


def test_names_that_clients_will_not_be_able_to_use():
    assert f"can call it {socket.gethostname()!r} only" in told("0.0.0.0")
    assert told("0.0.0.0", ["strap.example"]) == ""


def test_a_host_that_was_bound_by_another_name():
    with socket.create_server(("0.0.0.0", 0)) as bound:

        class Elsewhere:
            def getsockname(self):
                return ("192.0.2.7", bound.getsockname()[1])

        (said,) = warnings(Elsewhere(), "strap.example", (), LONG)
        assert "--name strap.example" in said
        assert not list(warnings(Elsewhere(), "192.0.2.7", (), LONG))


@pytest.mark.parametrize(
    "name", ["http://web.example", "web.example:8000", "web.example/mcp", "a b", ""]
)
def test_a_name_that_no_request_could_give(name):
    """The server started, and refused everybody."""
    with pytest.raises(
        StartupError, match=r"is not a valid host\. Give what clients write between"
    ):
        check_names(["ok.example", name])


def test_names_and_addresses_as_hosts():
    check_names(["web.example", "192.0.2.7", "::1", "[2001:db8::1]", "Web", "bücher.example"])
