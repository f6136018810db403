"""Secrets by name: where they come from, what they are given to, what is masked."""

import json
from base64 import b64encode, urlsafe_b64encode

import pytest

from strap import ActionError, PolicyDenied, StartupError, UsageError
from strap.config import load
from strap.config.secrets import Secret, Secrets

TOKEN = "token-1234567890"
SECRETS = Secrets(
    {
        "api": Secret(value=TOKEN, origins=("https://api.example.com", "http://127.0.0.1:8080")),
        "odd": Secret(value='quo"te & <tag> \u00fc/?', origins=("https://b.test",)),
        "longer": Secret(value=f"{TOKEN}-more", origins=("https://b.test",)),
    }
)


def read(tmp_path, environ=None, **secrets):
    return load(environ=environ or {}, directory=tmp_path, secrets=secrets).secrets


def test_file_and_environment_set_them(tmp_path):
    (tmp_path / "strap.toml").write_text(
        f"[secrets.b]\nvalue = '{TOKEN}'\norigins = ['http://b', 'wss://c:443/']"
    )
    environ = {
        "STRAP_SECRETS__API__VALUE": TOKEN,
        "STRAP_SECRETS__API__ORIGINS": "https://API.example.com:443/, http://[::1]:80",
    }
    found = load(environ=environ, directory=tmp_path)
    found.check_claimed({})
    for url in ("https://api.example.com/x?y", "http://[::1]/"):
        assert found.secrets.fill("a {{api}} b", url) == f"a {TOKEN} b"
    for url in ("http://b/", "https://c/", "wss://c/socket"):
        assert found.secrets.fill("{{ b }}", url) == TOKEN
    assert TOKEN not in repr(found)
    assert TOKEN not in repr(found.secrets)


@pytest.mark.parametrize(
    "secret",
    [
        {"value": "short", "origins": ["https://a.test"]},
        {"value": f"{TOKEN}\n", "origins": ["https://a.test"]},
        {"value": f"{TOKEN}  two spaces", "origins": ["https://a.test"]},
        {"value": TOKEN, "origins": []},
        {"value": TOKEN, "origins": ["a.test"]},
        {"value": TOKEN, "origins": ["https://a.test/path"]},
        {"value": TOKEN, "origins": ["ftp://a.test"]},
        {"value": TOKEN},
        {"value": TOKEN, "origins": ["https://a.test"], "more": 1},
        TOKEN,
    ],
)
def test_bad_settings_do_not_show_the_value(tmp_path, secret):
    with pytest.raises(StartupError, match=r"'secrets\.api") as caught:
        read(tmp_path, api=secret)
    shown = secret if isinstance(secret, str) else secret["value"].strip()
    assert shown not in str(caught.value)


@pytest.mark.parametrize("name", ["a b", "a.b", "ä", ""])
def test_a_name_that_no_call_could_give_is_refused(tmp_path, name):
    """It stood in a request as it was written, for its value."""
    with pytest.raises(StartupError, match=rf"'secrets\.{name}': must be named by letters"):
        read(tmp_path, **{name: {"value": TOKEN, "origins": ["https://a.test"]}})


def test_they_are_given_to_their_origins_only():
    assert SECRETS.fill("{{api}}", "http://127.0.0.1:8080/x") == TOKEN
    for url in (
        "http://api.example.com/",
        "http://127.0.0.1:80/",
        "https://b.test/",
        "about:blank",
    ):
        with pytest.raises(PolicyDenied, match="'api' is not for"):
            SECRETS.fill("{{api}}", url)
    with pytest.raises(UsageError, match=r"no secret 'apo'. Known: api, longer, odd;"):
        SECRETS.fill("{{apo}}", "https://api.example.com/")
    with pytest.raises(UsageError, match="none are set"):
        Secrets().fill("{{apo}}", "https://api.example.com/")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"x{TOKEN}y{TOKEN}", "x{{api}}y{{api}}"),
        (f"{TOKEN}-more", "{{longer}}"),
        ('quo"te & <tag> \u00fc/?', "{{odd}}"),
        ('{"a": "quo\\"te & <tag> \\u00fc/?"}', '{"a": "{{odd}}"}'),
        ("q=quo%22te%20%26%20%3Ctag%3E%20%C3%BC%2F%3F", "q={{odd}}"),
        ("q=quo%22te%20%26%20%3ctag%3e%20%c3%bc%2f%3f", "q={{odd}}"),
        ("q=quo%22te+%26+%3Ctag%3E+%C3%BC%2F%3F", "q={{odd}}"),
        ('<p>quo"te &amp; &lt;tag&gt; \u00fc/?</p>', "<p>{{odd}}</p>"),
        ("TOKEN-1234567890 Token-1234567890-More", "{{api}} {{longer}}"),
        ('QUO"TE & <TAG> \u00dc/? Quo"Te & <Tag> \u00dc/?', "{{odd}} {{odd}}"),
        ("nothing", "nothing"),
    ],
)
def test_they_are_masked_as_encodings_and_style_sheets_write_them(text, shown):
    assert SECRETS.hide(text) == shown
    assert SECRETS.hide_bytes(b"\xff" + text.encode()) == b"\xff" + shown.encode()
    data = {text: [text, (text, 1, None, True)]}
    assert json.loads(json.dumps(SECRETS.hide_all(data))) == {
        shown: [shown, [shown, 1, None, True]]
    }
    assert Secrets().hide(text) == text
    assert Secrets().hide_all(data) is data


BETWEEN = [
    *("\u200b", "\u00ad", "\u2060", "\u200d", "\u034f", "\ufe0f", "\ufeff", "\u180e", "\u202e"),
    *("\U000e0101", "\U000e0041", "\U0001d173", "\u3164", "\u200b\u00ad", "\u2060\u2060\u2060"),
    *("%E2%80%8B", "%e2%80%8b", "%C2%AD", "%F3%A0%84%81", "\\u200b", "\\u200B", "\\udb40\\udd01"),
    *("&#8203;", "&#x200B;", "&#x200b;", "&shy;", "&ZeroWidthSpace;", "&zwj;"),
]


@pytest.mark.parametrize("sign", BETWEEN, ids=ascii)
def test_what_draws_nothing_hides_no_secret(sign):
    parted = sign.join(TOKEN)
    assert SECRETS.hide(f"a {parted}{sign} b") == f"a {{{{api}}}}{sign} b"
    assert SECRETS.hide(f"{parted} {TOKEN}{sign}x") == f"{{{{api}}}} {{{{api}}}}{sign}x"
    assert SECRETS.hide_all({"a": [parted]}) == {"a": ["{{api}}"]}
    assert SECRETS.remembering("{{api}}").hide(f"a {sign.join(TOKEN[:6])} b") == "a {{api}} b"
    held = Secrets.from_json({"kept": {"value": parted, "origins": ["https://a.test"]}})
    assert held.hide(f"{parted} {TOKEN}") == "{{kept}} {{kept}}"
    assert SECRETS.hide(f"as{sign}it is") == f"as{sign}it is"


def test_errors_keep_their_kind():
    for kind in (ActionError, UsageError, PolicyDenied):
        told = SECRETS.told(kind(f"no {TOKEN}", hint=f"use {TOKEN}", code="x", retryable=True))
        assert (type(told), str(told), told.code) == (kind, "no {{api}} use {{api}}", "x")
        assert told.retryable
        same = kind("nothing")
        assert SECRETS.told(same) is same


def test_for_another_process_and_for_a_task():
    copy = Secrets.from_json(json.loads(json.dumps(SECRETS.as_json())))
    assert copy.as_json() == SECRETS.as_json()
    assert copy.fill("{{odd}}", "https://b.test/") == SECRETS.fill("{{odd}}", "https://b.test/")
    task = copy.among("use {{ api }}, not odd nor {{unknown}}")
    assert set(task.as_json()) == {"api"}
    with pytest.raises(UsageError, match="no secret 'odd'"):
        task.fill("{{odd}}", "https://b.test/")
    assert not copy.among("nothing")


def test_beginnings_of_what_was_filled_in_are_hidden_where_they_stand_alone():
    known = Secrets({"shop": Secret(value="correct horse/9", origins=("https://shop.test",))})
    plain, mine = known.hide, known.remembering()
    assert mine.hide("v=corr") == "v=corr"
    mine.fill("{{shop}}", "https://shop.test/login")
    for text, hidden in {
        "v=corr": "v={{shop}}",
        "/s?q=correct%20hor&x": "/s?q={{shop}}&x",
        "/s?q=%22correct+h": "/s?q=%22{{shop}}",
        '"a\\ncorre"': '"a\\n{{shop}}"',
        "corr corre correc correct": "{{shop}} {{shop}} {{shop}} {{shop}}",
        "correct horse/9": "{{shop}}",
        "correction, incorrect, cor": "correction, incorrect, cor",
        "CORR CORRE Corre, CORREC Correct Hor": "CORR CORRE Corre, {{shop}} {{shop}}",
    }.items():
        assert mine.hide(text) == hidden
    assert plain("v=corr") == "v=corr"
    assert known.remembering("log in with {{shop}}").hide("corr") == "{{shop}}"


def test_hosts_that_look_alike_are_told_apart(tmp_path):
    """As browsers say them: what the operator wrote in its own letters never fitted."""
    mine = read(tmp_path, api={"value": TOKEN, "origins": ["https://b\u00fccher.example"]})
    for url in ("https://xn--bcher-kva.example/x", "https://B\u00dcCHER.example"):
        assert mine.fill("{{api}}", url) == TOKEN
    known = Secrets({"api": Secret(value=TOKEN, origins=("https://shop.example",))})
    with pytest.raises(PolicyDenied) as caught:  # with a Cyrillic o
        known.fill("{{api}}", "https://sh\u043ep.example/login")
    assert str(caught.value) == (
        "The secret 'api' is not for 'https://xn--shp-ted.example'. It is for https://shop.example."
    )


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("after", range(3))
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_base64_of_a_text_with_a_secret_is_masked(before, after, encode):
    value = "p>ss?w0rd/~x"
    secrets = Secrets({"pin": Secret(value=value, origins=("https://a.example",))})
    text = encode(b"u" * before + value.encode() + b"v" * after).decode()
    shown = secrets.hide(f'"{text}"')
    assert "{{pin}}" in shown
    assert len(shown.replace("{{pin}}", "")) <= len(text) + 2 - len(value) * 8 // 6 + 1


@pytest.mark.parametrize(
    "form",
    ["p!'()*~ %2F", "p%21%27%28%29*%7E+%252F", "p!'()*~%20%252F", "p!%27()*~%20%2F"],
    ids=["as it is", "form", "encodeURIComponent", "query"],
)
def test_what_browsers_leave_in_addresses_and_forms_is_masked(form):
    secrets = Secrets({"pin": Secret(value="p!'()*~ %2F", origins=("https://a.example",))})
    assert secrets.hide(f"a={form}&b=1") == "a={{pin}}&b=1"


@pytest.mark.parametrize(
    "texts",
    [
        ["s3cr", "et"],
        ["s3cret", "", "s3cret"],
        ["a\0s3cret", "b"],
        ["s3cr\0", "\0et", "s3cret"],
        ["x" * 50, "s3crets3cret"],
    ],
)
def test_texts_of_a_value_are_masked_each_by_itself(texts):
    known = Secrets({"api": Secret(value="s3cret", origins=("https://a.example",))})
    value = {"list": texts, "more": {text: [text, 7, None] for text in texts}}
    hide = known.hide
    assert known.hide_all(value) == {
        "list": [hide(text) for text in texts],
        "more": {hide(text): [hide(text), 7, None] for text in texts},
    }
