"""Checks: each form of the grammar, and what is said of those that are not."""

import random
import re
from contextlib import suppress

import pytest

from strap import UsageError
from strap_cases.checks import Text
from strap_cases.grammar import KINDS, names_a_check, parse_check


def parse(source, **values):
    return parse_check(source, 7, values)


FORMS = [
    ("url /home", "url", {"pattern": Text(value="/home", form="path")}),
    ("url /shop/*/", "url", {"pattern": Text(value="/shop/*/", form="path")}),
    ('url "http://a/b c"', "url", {"pattern": Text(value="http://a/b c")}),
    ('title "A \\"b\\" \\\\ c\\n"', "title", {"text": Text(value='A "b" \\ c\n')}),
    ("text /Total \\d{2,3}\\/4/i", "text",
     {"text": Text(value="Total \\d{2,3}\\/4", form="regex", ignore_case=True)}),
    ('text "1 item" in #basket', "text",
     {"text": Text(value="1 item"), "selector": "#basket"}),
    ('text "1 item" in "#basket .row"', "text",
     {"text": Text(value="1 item"), "selector": "#basket .row"}),
    ("role button", "role", {"role": "button"}),
    ('role checkbox "Terms" checked', "role",
     {"role": "checkbox", "name": Text(value="Terms"), "state": "checked"}),
    ("role button disabled", "role", {"role": "button", "state": "disabled"}),
    ('value input[name="a b"] "x"', "value",
     {"selector": 'input[name="a b"]', "text": Text(value="x")}),
    ("count li 3", "count", {"selector": "li", "relation": "=", "number": 3}),
    ('count "ul > li" < 3', "count", {"selector": "ul > li", "relation": "<", "number": 3}),
    ("cookie session", "cookie", {"name": "session"}),
    ("page status 404", "page status", {"status": 404}),
    ("request POST /api/* 201", "request",
     {"method": "POST", "path": Text(value="/api/*", form="path"), "status": 201}),
    ("request GET /api", "request",
     {"method": "GET", "path": Text(value="/api", form="path")}),
    ("console errors", "console errors", {}),
    ('console "deprecated"', "console", {"text": Text(value="deprecated")}),
    ("failed requests", "failed requests", {}),
    ('dialog "Sure?"', "dialog", {"text": Text(value="Sure?")}),
    ("download report-*.pdf", "download", {"pattern": Text(value="report-*.pdf", form="path")}),
    ('answer "42"', "answer", {"text": Text(value="42")}),
    ('http GET /api/orders 200 "run 1"', "http",
     {"method": "GET", "path": Text(value="/api/orders", form="path"), "status": 200,
      "text": Text(value="run 1")}),
    ('js "document.title === \\"x\\""', "js", {"text": Text(value='document.title === "x"')}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "kind", "given"), FORMS, ids=[form[0] for form in FORMS])
def test_a_form_is_read(source, kind, given):
    check = parse(source)
    assert (check.kind, check.arguments, check.negative) == (kind, given, False)
    assert parse(f"no {source}").negative
    assert (check.source, check.line) == (source, 7)
    assert names_a_check(source)


def test_every_kind_has_its_form():
    assert {form[1] for form in FORMS} == set(KINDS)


WRONG = [
    ("", "'' is not a valid check"),
    ("no", "is not a valid check"),
    ("txt “x”", "'txt' is not a valid check. Did you mean 'text'?"),
    ("text", "a text is missing. Write `text"),
    ("text hello", "'hello' is not a text"),
    ('text "hello', "are not closed"),
    ('text "a" "b"', "'\"b\"' is too much"),
    ("text /(/", "is not a valid regular expression"),
    (f"text /{'a' * 501}/", "at most 500 characters"),
    ("role buton", "Did you mean 'button'?"),
    ('role button "x" pressed', "'pressed' is too much"),
    ("count ul li = 3", "'li' is not a number; a selector with blanks"),
    ("count li many", "'many' is not a number"),
    ("page status 99", "99 is not a status"),
    ("request fetch /x", "a call belongs in Given"),
    ("request post /x", "is not a method of HTTP"),
    ("http GET /x", "a status is missing"),
    ("no failed request", "'failed' is not a valid check"),
    ("console errors now", "'now' is too much"),
    ('text "{nam}"', "there is no value for {nam}"),
]


def test_a_value_that_is_missing_is_all_that_is_told_of_a_check():
    with pytest.raises(UsageError) as told:
        parse('text "{nam}"')
    assert "Write `text" not in str(told.value)


@pytest.mark.parametrize(("source", "said"), WRONG, ids=[each[0][:30] for each in WRONG])
def test_what_is_no_check_is_told(source, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        parse(source, name="Ada")


def test_a_value_cannot_change_what_a_check_means():
    tricky = 'x" in #other'
    assert parse('text "{name}!"', name=tricky).arguments == {"text": Text(value=f"{tricky}!")}
    assert parse("text /{n} \\{x}/", n="1.5+").arguments["text"].value == r"1\.5\+ \{x}"


def test_secrets_and_escaped_braces_stay():
    check = parse('text "{{shop}} \\{a} {a}"', a="1")
    assert check.arguments["text"].value == "{{shop}} {a} 1"


def test_nothing_but_usage_errors_is_raised():
    chance = random.Random(1)
    pieces = [
        *KINDS,
        "no",
        '"',
        '"a"',
        "/",
        "/a/i",
        "\\",
        "{a}",
        "{{",
        "in",
        "<",
        "3",
        "é",
        " ",
        "(",
    ]
    for _ in range(3000):
        source = " ".join(chance.choices(pieces, k=chance.randrange(7)))
        with suppress(UsageError):
            assert parse(source, a="v").kind in KINDS
