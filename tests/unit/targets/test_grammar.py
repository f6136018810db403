"""Targets: what is read is written as it was, whatever names and values are made of."""

import random

import pytest

from strap import UsageError
from strap.targets.grammar import DEEPEST, LONGEST, WORDS, Mark, Part, Target, parse_target

SIGNS = 'aZ9 "\\*#:/\n\t\r\u200f\u202e\u2028é漢😀in of'
ROLES = ["", *sorted(WORDS)]


def made(draw: random.Random) -> Target:
    """A target of any kind."""

    def text(least=0):
        return "".join(draw.choice(SIGNS) for _ in range(draw.randrange(least, 12)))

    def part():
        role = draw.choice(ROLES)
        name = text() if draw.random() < 0.7 else None
        kinds = draw.sample(("id", "testid", "field"), draw.randrange(3))
        if not (role or kinds) and name is None:
            kinds = ["id"]
        open_end = name is not None and draw.random() < 0.3
        marks = tuple(Mark(kind=kind, value=text(1)) for kind in kinds)
        return Part(role=role, name=name, open_end=open_end, marks=marks)

    count = draw.randrange(1, 9)
    place = (draw.randrange(1, count + 1), count) if draw.random() < 0.3 else None
    within = tuple(part() for _ in range(draw.randrange(4)))
    return Target(element=part(), within=within, place=place)


def test_what_is_written_is_read_as_it_was():
    draw = random.Random(53)
    for _ in range(4_000):
        target = made(draw)
        assert parse_target(str(target)) == target, str(target)
        assert str(parse_target(str(target))) == str(target)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ('button "Sign in"', Target(element=Part(role="button", name="Sign in"))),
        (
            'button "Add" in row "Rake"',
            Target(
                element=Part(role="button", name="Add"), within=(Part(role="row", name="Rake"),)
            ),
        ),
        ("#place-order", Target(element=Part(marks=(Mark(kind="id", value="place-order"),)))),
        ("testid:checkout", Target(element=Part(marks=(Mark(kind="testid", value="checkout"),)))),
        ('button "Add" 2 of 5', Target(element=Part(role="button", name="Add"), place=(2, 5))),
        ('"Rake*"', Target(element=Part(name="Rake", open_end=True))),
        ('"Rake\\u002a"', Target(element=Part(name="Rake*"))),
        (
            '  link  "a\\nb"  in  main ',
            Target(element=Part(role="link", name="a\nb"), within=(Part(role="main"),)),
        ),
    ],
)
def test_forms(text, target):
    assert parse_target(text) == target


@pytest.mark.parametrize(
    "text",
    [
        *("", "in", 'button "Add', 'button "Add" in', 'button "Add" row "Rake"', "buton", "#"),
        *('button "Add" 0 of 2', 'button "Add" 3 of 2', 'buton "Add"', "testid:", 'button "\\x"'),
        *('"' + "a" * LONGEST + '"', " in ".join(["main"] * (DEEPEST + 1)), "#a > b", "div.card"),
    ],
)
def test_what_is_no_target(text):
    with pytest.raises(UsageError):
        parse_target(text)


def test_names_fit_with_any_blanks_and_only_whole():
    part = parse_target('button "Sign  in"').element
    assert part.names("Sign\n in")
    assert not part.names("Sign in now")
    assert not part.names("sign in")
    assert parse_target('button "Sign*"').element.names("Sign in now")
