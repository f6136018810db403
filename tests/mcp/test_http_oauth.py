"""A server that takes access tokens: what clients are told, and whom it takes them for."""

import json
import re
import socket
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from strap.config import load
from strap.errors import StartupError
from strap.mcp.http import server
from strap.mcp.http.identity.access_tokens import Identity
from strap.mcp.http.identity.oauth_settings import OAuthSettings
from strap.mcp.http.principals.principal import Maker
from strap.mcp.http.principals.subjects import Subjects
from strap.mcp.http.serve_settings import Limits
from strap.mcp.http.tool import Calls
from tests.mcp import probe
from tests.mcp.conversation import WAIT, call, initialize, modern, request, text_of
from tests.mcp.http_server import Served, answer_of, open_session, post, post_modern
from tests.support.issuer import Issuer, Key
from tests.support.waiting import becomes

pytestmark = pytest.mark.anyio
WHO = call(resource="probe", action="who")
STATIC = {"authorization": "Bearer a-token-of-ci"}


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def issuer():
    with Issuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def served(issuer, tmp_path_factory):
    home, port = tmp_path_factory.mktemp("home"), free_port()
    (home / "strap.toml").write_text(
        f"""
        [serve.limits]
        calls_per_minute = 0
        [serve.tokens.ci]
        value = "a-token-of-ci"
        [serve.oauth]
        resource = "http://127.0.0.1:{port}/mcp"
        issuers = ["{issuer.name}"]
        scopes = ["strap"]
        principals = 4
        [serve.oauth.allow]
        strap = ["probe.who", "probe.sleep"]
        "strap:write" = ["probe.say"]
        """
    )
    with Served(home, port=port) as served:
        yield served


def settings(home, resource, issuer, scopes=()):
    """Write them down; lists are spelt in TOML as in JSON."""
    (home / "strap.toml").write_text(
        f"""
        [serve.oauth]
        resource = "{resource}"
        issuers = ["{issuer.name}"]
        scopes = {json.dumps(scopes)}
        """
    )


def shown(issuer, served, **claims):
    return {"authorization": f"Bearer {issuer.token(**{'aud': served.url, **claims})}"}


def challenge_of(response):
    """The fields of `WWW-Authenticate`."""
    told = response.headers["www-authenticate"]
    assert re.fullmatch(r'Bearer \w+="[^"]*"(, \w+="[^"]*")*', told)
    return dict(re.findall(r'(\w+)="([^"]*)"', told))


def metadata_url(served):
    return served.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")


def test_who_shows_no_token_is_told_where_to_get_one(served, issuer):
    refused = post(served, initialize())
    assert refused.status_code == 401
    assert challenge_of(refused) == {
        "realm": "strap",
        "scope": "strap",
        "resource_metadata": metadata_url(served),
    }
    told = httpx2.get(metadata_url(served), headers={"origin": "https://client.example"})
    assert told.headers["access-control-allow-origin"] == "*"
    assert told.json() == {
        "resource": served.url,
        "authorization_servers": [issuer.name],
        "scopes_supported": ["strap", "strap:write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "strap",
    }
    assert httpx2.post(metadata_url(served)).status_code == 405


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"aud": "https://web.example/mcp"}, "another audience"),
        ({"exp": 1}, "expired"),
        ({"nbf": 1 << 40}, "not valid yet"),
        ({"key": Key("unknown")}, "does not have"),
    ],
)
def test_a_bad_token_is_told_apart(served, issuer, claims, why):
    refused = post(served, initialize(), **shown(issuer, served, **claims))
    told = challenge_of(refused)
    assert (refused.status_code, told["error"]) == (401, "invalid_token")
    assert why in told["error_description"]
    assert told["resource_metadata"] == metadata_url(served)


def test_too_few_scopes(served, issuer):
    refused = post(served, initialize(), **shown(issuer, served, scope="strap:write"))
    told = challenge_of(refused)
    assert (refused.status_code, told["error"]) == (403, "insufficient_scope")
    assert told["scope"] == "strap strap:write"
    assert told["resource_metadata"] == metadata_url(served)


def test_a_token_in_the_address_or_two_of_them_are_no_request(served, issuer):
    good = shown(issuer, served)
    token = good["authorization"].split()[1]
    answers = [
        httpx2.post(f"{served.url}?access_token={token}", json=initialize(), headers=headers)
        for headers in ({}, good)
    ]
    twice = [("authorization", good["authorization"]), ("authorization", STATIC["authorization"])]
    answers.append(httpx2.post(served.url, json=initialize(), headers=twice))
    for refused in answers:
        assert refused.status_code == 400
        assert challenge_of(refused)["error"] == "invalid_request"


def test_a_token_that_is_too_long_does_no_harm(served):
    for length, status in ((9_000, 401), (200_000, 400)):
        try:
            refused = post(served, initialize(), authorization="Bearer " + "x" * length)
        except httpx2.TransportError:  # closed while the client still writes
            assert length > 100_000
        else:
            assert refused.status_code == status
    assert httpx2.get(served.url.replace("/mcp", "/healthz")).text == "ok\n"


def test_a_subject_is_a_principal_of_its_own(served, issuer):
    ada, eve = (shown(issuer, served, sub=name) for name in ("ada", "eve"))
    session = open_session(served, **ada)
    told = text_of(answer_of(post(served, WHO, session, **ada)))
    assert told.startswith("http oauth:")
    assert "ada" not in told
    renewed = shown(issuer, served, sub="ada", jti="another token of hers")
    assert text_of(answer_of(post(served, WHO, session, **renewed))) == told
    for other in (eve, STATIC, shown(issuer, served, scope="strap strap:write")):
        assert post(served, WHO, session, **other).status_code == 404
    assert post(served, WHO, session).status_code == 401
    post(served, call(resource="probe", action="sleep", number=0), session, **ada)
    digest = told.removeprefix("http oauth:").split("/")[0]
    own = served.notes.parent / "principals" / f"oauth-{digest}"
    assert "asleep" in (own / "notes").read_text()
    httpx2.delete(served.url, headers={"mcp-session-id": session, **ada})


def test_scopes_allow_actions(served, issuer):
    few, more = (
        shown(issuer, served, sub="ada", scope=scope) for scope in ("strap", "strap strap:write")
    )
    for headers, allowed in ((few, False), (more, True)):
        session = open_session(served, **headers)
        listed = answer_of(post(served, request("tools/list"), session, **headers))
        assert ("say" in listed["result"]["tools"][0]["description"]) is allowed
        say = call(resource="probe", action="say", words="hello")
        result = answer_of(post(served, say, session, **headers))["result"]
        assert result["isError"] is not allowed
        httpx2.delete(served.url, headers={"mcp-session-id": session, **headers})


def test_a_named_token_still_is_one(served):
    message = modern("tools/call", name="web", arguments={"resource": "probe", "action": "who"})
    assert text_of(answer_of(post_modern(served, message, **STATIC))).startswith("http token:ci")
    wrong = post(served, initialize(), authorization="Bearer a-token-of-no-one")
    assert challenge_of(wrong)["error_description"] == "The token is not a JWT."


def test_no_more_subjects_than_there_is_room_for(served, issuer):
    """Those of the tests before are still known: nobody is put out."""
    answers = [
        post_modern(served, modern("tools/list"), **shown(issuer, served, sub=f"user-{number}"))
        for number in range(5)
    ]
    assert answers[-1].status_code == 503
    assert int(answers[-1].headers["retry-after"])
    assert post_modern(served, modern("tools/list"), **STATIC).status_code == 200


class Storage:
    """Storage of a client between two starts; here nothing but for this one."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


@asynccontextmanager
async def client_of(served, storage):
    """The SDK's client, with a person who agrees at once."""
    sent = {}

    async def redirect(url):
        async with httpx2.AsyncClient() as person:
            answer = await person.get(url)
        query = httpx2.URL(answer.headers["location"]).params
        sent.update({name: query[name] for name in ("code", "state", "iss")})

    async def callback():
        return AuthorizationCodeResult(**sent)

    wanted = OAuthClientMetadata.model_validate(
        {"client_name": "tests", "redirect_uris": ["http://127.0.0.1:1/callback"]}
    )
    auth = OAuthClientProvider(served.url, wanted, storage, redirect, callback)
    async with httpx2.AsyncClient(auth=auth, timeout=WAIT) as http:
        transport = streamable_http_client(served.url, http_client=http)
        async with Client(transport, read_timeout_seconds=WAIT) as client:
            yield client


async def test_the_client_of_the_sdk_finds_its_way_from_401_on(tmp_path):
    storage, port = Storage(), free_port()
    with Issuer() as issuer:
        resource = f"http://127.0.0.1:{port}/mcp"
        settings(tmp_path, resource, issuer, scopes=["strap"])
        with Served(tmp_path, port=port) as served:
            async with client_of(served, storage) as client:
                asked = {"resource": "probe", "action": "who"}
                result = await client.call_tool("web", asked)
                assert result.content[0].text.startswith("http oauth:")
            assert issuer.asked.index("/register") < issuer.asked.index("/token")
            assert served.end() == 0


async def test_an_issuer_that_cannot_be_asked_is_no_reason_to_log_in_again(tmp_path):
    with Issuer() as gone:
        token = gone.token()
    settings(tmp_path, "https://web.example/mcp", gone)
    with Served(tmp_path) as served:
        refused = post(served, initialize(), authorization=f"Bearer {token}")
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"])


async def test_a_subject_that_is_idle_is_forgotten_and_no_other(tmp_path):
    config = load(environ={}, directory=tmp_path, home=tmp_path)
    maker = Maker(config, Calls(9), replica="", plugins=[("probe", probe)])
    oauth = OAuthSettings(resource="https://web.example/mcp", issuers=["https://id.example"])
    subjects = Subjects(maker, oauth, Limits())
    made = [
        await subjects.get(Identity(issuer="i", subject=name, scopes=frozenset()), ())
        for name in ("idle", "with a session", "calls")
    ]
    made[2].requests = 1
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(subjects.watch, 0.1, lambda name: name == made[1].name)
        await becomes(lambda: made[0] not in subjects.open)
        await anyio.sleep(0.2)
        tasks.cancel_scope.cancel()
    assert subjects.open == made[1:]
    again = await subjects.get(Identity(issuer="i", subject="idle", scopes=frozenset()), ())
    assert (again.name, again is made[0]) == (made[0].name, False)


def test_scopes_that_allow_what_there_is_not_stop_the_start(tmp_path):
    oauth = {
        "resource": "https://web.example/mcp",
        "issuers": ["https://id.example"],
        "allow": {"strap": ["htp.*"]},
    }
    config = load(environ={}, directory=tmp_path, home=tmp_path, serve={"oauth": oauth})
    with pytest.raises(StartupError, match="htp"):
        server.serve(config, port=0)
