"""The table of address spaces: both edges of each block, and addresses inside addresses."""

from ipaddress import ip_address, ip_network

import pytest

from strap.network import Space
from strap.network.addresses import classify, is_own

BLOCKS = {
    Space.LOOPBACK: ("127.0.0.0/8", "::1/128"),
    Space.PRIVATE: (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "5f00::/16",
    ),
    Space.RESERVED: (
        "0.0.0.0/8",
        "192.0.2.0/24",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/128",
        "100::/64",
        "2001:db8::/32",
        "3fff::/20",
        "ff00::/8",
    ),
}
CARRIED = {
    "::ffff:8.8.8.8": Space.PUBLIC,
    "::ffff:10.0.0.1": Space.PRIVATE,
    "::ffff:127.0.0.1": Space.LOOPBACK,
    "::ffff:0:127.0.0.1": Space.LOOPBACK,
    "::127.0.0.1": Space.LOOPBACK,
    "64:ff9b::8.8.8.8": Space.PUBLIC,
    "64:ff9b::169.254.169.254": Space.METADATA,
    "64:ff9b:1::8.8.8.8": Space.PRIVATE,
    "2002:7f00:1::": Space.LOOPBACK,
    "2002:808:808::": Space.PRIVATE,
    "2001:0:808:808::80ff:fffe": Space.LOOPBACK,
    "2606:4700::5efe:10.0.0.1": Space.PRIVATE,
    "2606:4700::200:5efe:127.0.0.1": Space.LOOPBACK,
    "2606:4700::5efe:8.8.8.8": Space.PUBLIC,
}


@pytest.mark.parametrize(
    ("block", "space"), [(block, space) for space, blocks in BLOCKS.items() for block in blocks]
)
def test_both_edges_of_a_block(block, space):
    network = ip_network(block)
    assert classify(network.network_address) is space
    assert classify(network.broadcast_address) is space


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "11.0.0.0", "126.255.255.255", "128.0.0.0", "2606:4700::1", "2a00::1"]
)
def test_neighbours_are_public(text):
    assert classify(ip_address(text)) is Space.PUBLIC


@pytest.mark.parametrize(("text", "space"), CARRIED.items())
def test_an_address_inside_an_address(text, space):
    assert classify(ip_address(text)) is space


@pytest.mark.parametrize(
    ("text", "own"), [("127.0.0.1", True), ("::ffff:127.0.0.1", True), ("8.8.8.8", False)]
)
def test_own_addresses(text, own):
    assert is_own(ip_address(text)) is own
