"""The bodies of held requests in words: by field names, without passwords, in bounded time."""

import json

import pytest

from strap.evidence.redaction import MASK
from strap_browser.engine.traffic.paused_request import PausedRequest
from strap_browser.engine.traffic.request_words import MOST_READ, body_in_words


def words(body, kind="application/json"):
    event = {"requestId": "1", "request": {"url": "https://a.test/", "method": "POST"}}
    event["request"] |= {"postData": body, "headers": {"Content-Type": kind}}
    return body_in_words(PausedRequest.of(None, event))


NESTED = {"user": {"name": "Ada", "password": "s3cret"}, "pins": [{"pin": "1234"}]}


@pytest.mark.parametrize("body", [NESTED, [NESTED], [[NESTED]], {"variables": NESTED}])
def test_passwords_are_masked_at_each_depth(body):
    told = words(json.dumps(body))
    assert "Ada" in told
    assert MASK in told
    assert "s3cret" not in told
    assert "1234" not in told


@pytest.mark.parametrize("name", ["api_key", "apiKey", "credential", "session_id", "cvc", "PIN"])
def test_credentials_are_masked_by_the_names_that_the_network_list_masks(name):
    assert words(json.dumps({name: "s3cret"})) == json.dumps({name: MASK}, ensure_ascii=False)


def test_a_form_is_told_by_its_fields():
    form = "application/x-www-form-urlencoded"
    assert (
        words("a=1&a=2&password=x&b=", form)
        == f'{{"a": ["1", "2"], "password": "{MASK}", "b": ""}}'
    )


@pytest.mark.parametrize(
    "body",
    ["[" * 400 + "]" * 400, "[" * 100_000, "{", "[" + "1," * MOST_READ + "1]"],
    ids=["deep", "deeper", "broken", "long"],
)
def test_what_is_not_read_is_told_by_its_size(body):
    told = words(body)
    assert len(told) < 500
    assert told.startswith(("[", f"({len(body):,} bytes of application/json"))
