"""Every case of tests/data/ssrf-cases.json that is about a URL or a look-up, in mode `public`."""

from contextlib import suppress

import pytest

from strap import ActionError, Guard, PolicyDenied, StrapError, UsageError
from tests.unit.names import SSRF, Names, cases

pytestmark = pytest.mark.anyio

CLASSES = {
    "blocked_address": (PolicyDenied, UsageError),
    "blocked_metadata": PolicyDenied,
    "blocked_host": PolicyDenied,
    "blocked_scheme": (PolicyDenied, UsageError),
    "bad_port": (PolicyDenied, UsageError),
    "userinfo": UsageError,
    "invalid_url": (PolicyDenied, UsageError),
    "dns_error": ActionError,
}
DIRECT = (
    "http://[::1]/",
    "http://localhost/",
    "http://LOCALHOST/",
    "HTTP://LOCALHOST/",
    "http://127.0.0.1#@example.com/",
)


def identified(expect):
    chosen = [case for case in cases("literal", "dns") if case["expect"] == expect]
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def guard():
    return Guard("public", resolver=Names(SSRF["dns"]))


@identified("block")
async def test_blocked(case):
    with pytest.raises(StrapError) as caught:
        await guard().check(case["url"])
    assert isinstance(caught.value, CLASSES[case["code"]])
    if case["code"] == "blocked_metadata":
        assert caught.value.code == "blocked_metadata"


@identified("allow")
async def test_allowed(case):
    target = await guard().check(case["url"])
    assert target.addresses


@identified("pin")
async def test_only_the_first_answers_are_used(case):
    checked = guard()
    target = await checked.check(case["url"])
    first = SSRF["dns"][target.host][0]
    assert set(target.addresses) <= set(first)
    assert await checked.resolve(target) == target.addresses


@identified("either")
async def test_debatable_cases_get_a_verdict(case):
    """Refusing and passing are both defensible; anything but a verdict is not."""
    with suppress(PolicyDenied, UsageError):
        target = await guard().check(case["url"])
        assert target.addresses


@pytest.mark.parametrize("mode", ["local", "all"])
@pytest.mark.parametrize(
    "case",
    [case for case in cases("literal", "dns") if case.get("code") == "blocked_metadata"],
    ids=lambda case: case["id"],
)
async def test_metadata_is_blocked_in_every_mode(case, mode):
    with pytest.raises(PolicyDenied) as caught:
        await Guard(mode, resolver=Names(SSRF["dns"])).check(case["url"])
    assert caught.value.code == "blocked_metadata"


@pytest.mark.parametrize(
    "case",
    [case for case in cases("literal", "dns") if case["expect"] == "block"],
    ids=lambda case: case["id"],
)
async def test_local_mode_opens_loopback_alone(case):
    checked = Guard("local", resolver=Names(SSRF["dns"]))
    if case["url"] in DIRECT:
        assert (await checked.check(case["url"])).addresses
    else:
        with pytest.raises(StrapError):
            await checked.check(case["url"])
