"""Access tokens and the keys of their issuers, against an issuer that really is asked."""

import base64
import hmac
import json
import time

import jwt
import pytest

from strap.mcp.http.identity import issuer as issuers
from strap.mcp.http.identity.access_tokens import AccessTokens, InvalidTokenError
from strap.mcp.http.identity.fetching import IssuerError
from strap.mcp.http.identity.oauth_settings import OAuthSettings, host_and_port
from strap.network import Guard
from tests.support.issuer import RESOURCE, Issuer, Key

pytestmark = pytest.mark.anyio
RSA_KEY = Key("rsa", "RS256")


@pytest.fixture
def issuer():
    with Issuer() as issuer:
        yield issuer


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tokens(issuer, clock):
    return checked_by(clock, issuer)


def checked_by(clock, *known):
    settings = OAuthSettings(resource=RESOURCE, issuers=tuple(each.name for each in known))
    guard = Guard("public", map(host_and_port, settings.issuers))
    return AccessTokens(settings, guard, clock)


def text(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def part(value):
    return text(json.dumps(value).encode())


async def refused(tokens, token):
    with pytest.raises(InvalidTokenError) as caught:
        await tokens.identity(token)
    return str(caught.value)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
async def test_a_token_says_whom_it_is_about(tokens, issuer, algorithm):
    issuer.keys = [Key("of-" + algorithm, algorithm)]
    identity = await tokens.identity(issuer.token(scope="a b"))
    assert (identity.issuer, identity.subject) == (issuer.name, "ada")
    assert identity.scopes == {"a", "b"}


async def test_scopes_of_other_issuers_are_a_list(tokens, issuer):
    identity = await tokens.identity(issuer.token(scope=None, scp=["a", 3]))
    assert identity.scopes == {"a"}


WRONG_CLAIMS = {
    "another audience": ({"aud": "https://web.example/other"}, "another audience"),
    "no audience": ({"aud": None}, "lacks the claim aud"),
    "expired": ({"exp": int(time.time()) - 60}, "expired"),
    "never expires": ({"exp": None}, "lacks the claim exp"),
    "not valid yet": ({"nbf": int(time.time()) + 86_400}, "not valid yet"),
    "another issuer": ({"iss": "https://id.example"}, "another issuer"),
    "an issuer by another spelling": ({"iss": "http://localhost"}, "another issuer"),
    "no issuer": ({"iss": None}, "another issuer"),
    "no subject": ({"sub": None}, "lacks the claim sub"),
    "an empty subject": ({"sub": ""}, "names nobody"),
    "bound to a key": ({"cnf": {"jkt": "x"}}, "not a bearer's"),
    "an endless time": ({"exp": 1e400}, "not valid"),
}


@pytest.mark.parametrize("name", WRONG_CLAIMS)
async def test_a_token_that_claims_something_else_is_refused(tokens, issuer, name):
    claims, why = WRONG_CLAIMS[name]
    assert why in await refused(tokens, issuer.token(**claims))


async def test_only_signatures_by_the_issuers_own_keys_are_taken(tokens, issuer):
    issuer.keys = [RSA_KEY]
    good = issuer.token()
    header, claims, signature = good.split(".")
    without = f"{part({'alg': 'none', 'kid': 'rsa'})}.{claims}."
    assert "in a way that is not taken" in await refused(tokens, without)
    signed = f"{part({'alg': 'HS256', 'kid': 'rsa'})}.{claims}"  # the public key as a secret
    confused = hmac.digest(RSA_KEY.pem, signed.encode(), "sha256")
    assert "in a way that is not taken" in await refused(tokens, f"{signed}.{text(confused)}")
    forged = part({**jwt.decode(good, options={"verify_signature": False}), "sub": "eve"})
    assert "not signed by" in await refused(tokens, f"{header}.{forged}.{signature}")
    stranger = Key("rsa2", "ES256")
    assert "does not have" in await refused(tokens, issuer.token(key=stranger))
    stranger.name = "rsa"  # a name that is known, and another kind of key
    assert "its key is not for" in await refused(tokens, issuer.token(key=stranger))
    await tokens.identity(good)


async def test_a_key_that_both_sides_know_proves_nothing(tokens, issuer):
    shared = Key("shared")
    shared.jwk = {"kty": "oct", "kid": "shared", "k": base64.b64encode(b"x" * 32).decode()}
    issuer.keys = [shared]
    assert "does not have" in await refused(tokens, issuer.token())


async def test_a_key_for_something_else_is_not_taken(tokens, issuer):
    issuer.keys[0].jwk["use"] = "enc"
    assert "does not have" in await refused(tokens, issuer.token())


@pytest.mark.parametrize("kind", ["dpop+jwt", "logout+jwt", 3])
async def test_a_token_of_another_type_is_refused(tokens, issuer, kind):
    assert "not an access token" in await refused(tokens, issuer.token(header={"typ": kind}))


DEEP = text(b'{"alg":' + b"[" * 3000 + b"}")


@pytest.mark.parametrize(
    "token",
    [
        "",
        "abc",
        "a.b.c",
        "..",
        "é.é.é",
        f"{part([])}.{part({})}.x",
        f"{DEEP}.{part({})}.x",
        f"{part({'alg': 'RS256', 'kid': 7})}.{part({})}.x",
        f"{part({'alg': 'RS256', 'crit': ['x']})}.{part({'iss': []})}.x",
        "x" * 9000,
    ],
)
async def test_nonsense_is_refused_and_nobody_is_asked(tokens, issuer, token):
    assert await refused(tokens, token)
    assert issuer.asked == []


async def test_an_unknown_extension_of_the_header_is_refused(tokens, issuer):
    good = issuer.token()
    header = {**jwt.get_unverified_header(good), "crit": ["b65"], "b65": True}
    key = issuer.keys[0]
    signed = f"{part(header)}.{good.split('.')[1]}"
    signature = jwt.get_algorithm_by_name("ES256").sign(signed.encode(), key.private)
    assert await refused(tokens, f"{signed}.{text(signature)}")


async def test_keys_are_kept_and_tokens_remembered(tokens, issuer, clock):
    for name in ("ada", "eve", "ada"):
        await tokens.identity(issuer.token(sub=name))
    assert issuer.asked.count("/jwks") == 1
    clock.now += issuers.KEPT
    await tokens.identity(issuer.token(sub="bob"))
    assert issuer.asked.count("/jwks") == 2


async def test_a_new_key_is_fetched_and_an_old_one_forgotten(tokens, issuer, clock):
    old = issuer.token()
    await tokens.identity(old)
    issuer.keys = [Key("second")]
    clock.now += issuers.PAUSE
    await tokens.identity(issuer.token())
    clock.now += 60  # as long as a token is remembered that was checked
    assert "does not have" in await refused(tokens, old)


async def test_names_of_keys_that_nobody_has_do_not_make_strap_ask_all_the_time(tokens, issuer):
    for number in range(20):
        await refused(tokens, issuer.token(key=Key(f"invented-{number}")))
    assert issuer.asked.count("/jwks") == 1


async def test_an_issuer_that_is_down(clock):
    with Issuer() as issuer:
        tokens = checked_by(clock, issuer)
        await tokens.identity(issuer.token())
    clock.now += issuers.KEPT
    assert await tokens.identity(issuer.token(sub="eve"))  # the keys are good for a while
    assert "does not have" in await refused(tokens, issuer.token(key=Key("new")))
    clock.now += issuers.STALE
    with pytest.raises(IssuerError):
        await tokens.identity(issuer.token(sub="bob"))


WRONG_METADATA = {
    "another issuer": {"issuer": "https://id.example"},
    "no keys": {"jwks_uri": None},
    "keys of another host without TLS": {"jwks_uri": "http://127.0.0.2:8000/jwks"},
    "keys in a private network": {"jwks_uri": "https://169.254.169.254/jwks"},
    "keys that are none": {"jwks_uri": "{origin}/.well-known/oauth-authorization-server"},
    "keys that are not there": {"jwks_uri": "{origin}/nowhere"},
    "keys at something else than an address": {"jwks_uri": "file:///etc/passwd"},
}


@pytest.mark.parametrize("name", WRONG_METADATA)
async def test_metadata_that_leads_astray(tokens, issuer, name):
    told = WRONG_METADATA[name]
    issuer.metadata = {k: v and v.replace("{origin}", issuer.origin) for k, v in told.items()}
    with pytest.raises(IssuerError):
        await tokens.identity(issuer.token())


async def test_metadata_of_an_issuer_with_a_path(clock):
    with Issuer("/realms/team") as issuer:
        await checked_by(clock, issuer).identity(issuer.token())
    assert issuer.asked[0] == "/.well-known/oauth-authorization-server/realms/team"


async def test_a_key_proves_nothing_of_another_issuer(clock):
    with Issuer() as first, Issuer() as second:
        tokens = checked_by(clock, first, second)
        assert (await tokens.identity(second.token())).issuer == second.name
        forged = first.token(key=second.keys[0])
        assert "not signed by" in await refused(tokens, forged)


BAD = {
    "https is wanted": ({"resource": "http://web.example/mcp"}, "https"),
    "a query": ({"issuers": ["https://id.example?x=1"]}, "query"),
    "a user": ({"issuers": ["https://a@id.example"]}, "user"),
    "another spelling": ({"resource": "https://WEB.example/mcp"}, "written"),
    "nobody issues": ({"issuers": []}, "at least 1"),
    "twice the same": ({"issuers": ["https://id.example"] * 2}, "the same"),
    "a scope": ({"scopes": ["a b"]}, "not a valid scope"),
    "no URL": ({"resource": "web"}, "not a valid URL"),
}


@pytest.mark.parametrize("name", BAD)
def test_settings_that_make_no_sense(name):
    given, said = BAD[name]
    usual = {"resource": RESOURCE, "issuers": ["https://id.example"]}
    with pytest.raises(ValueError, match=said):
        OAuthSettings.model_validate({**usual, **given})
