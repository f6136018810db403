"""How numbers of things are said."""

from strap.text import counted


def test_one_thing_is_one():
    assert counted(1, "byte") == "1 byte"
    assert counted(0, "byte") == "0 bytes"
    assert counted(2_000, "more row") == "2,000 more rows"
    assert counted(3, "more entry", "more entries") == "3 more entries"
