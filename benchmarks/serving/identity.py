"""Cost of the checks who calls and what they may: named tokens, access tokens, limits."""

import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.requests import Request

from benchmarks.bench import Bench, Table
from strap.api.calls import Caller
from strap.config import load
from strap.mcp.http.principals.principal import Principal
from strap.mcp.http.principals.registry import Principals
from strap.mcp.http.serve_settings import read

RESOURCE, ISSUER = "https://web.example/mcp", "https://id.example"
CALLER = Caller(transport="http")
ROUNDS = 7


def measure(bench: Bench) -> Table:
    calls = bench.runs(20_000, 2_000)
    with tempfile.TemporaryDirectory() as name:
        table = Table(
            title="Who calls, and what they may", columns=("a request with", "µs of the processor")
        )
        for what, took in anyio.run(_measured, Path(name), calls).items():
            table.rows.append([what, f"{took:.1f}"])
    table.notes.append(
        f"Medians of {ROUNDS} rounds of {calls:,}: token, principal, rates of requests and calls."
    )
    return table


async def _measured(folder: Path, calls: int) -> dict[str, float]:
    """Microseconds by what is shown."""
    serve = {
        "tokens": {f"t{n}": {"value": f"token-{n}"} for n in range(10)},
        "oauth": {"resource": RESOURCE, "issuers": [ISSUER], "scopes": ["strap"]},
        "limits": {"calls_per_minute": 10**9},
    }
    config = load(environ={}, directory=folder, home=folder, serve=serve)
    principals = Principals(config, read(config), token=None, max_calls=64)
    named, access = _request("token-7"), _request(_token(principals))
    checked = principals._access_tokens._checked  # noqa: SLF001 - to have a token checked anew
    return {
        "a named token": await _each(calls, lambda: _admitted(principals, named)),
        "an access token, known for a minute": await _each(
            calls, lambda: _admitted(principals, access)
        ),
        "an access token, checked anew": await _each(
            calls // 20, lambda: _admitted(principals, access, checked)
        ),
    }


def _request(token: str) -> Request:
    headers = [(b"host", b"web.example"), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b""}
    return Request({**scope, "headers": headers})


def _token(principals: Principals) -> str:
    """A token of an issuer whose keys are known."""
    private = ec.generate_private_key(ec.SECP256R1())
    jwk = json.loads(jwt.get_algorithm_by_name("ES256").to_jwk(private.public_key()))
    issuer = principals._access_tokens._issuers[ISSUER]  # noqa: SLF001 - nobody is asked here
    issuer._keys, issuer._fetched = ({**jwk, "kid": "k"},), time.monotonic()  # noqa: SLF001
    claims = {"iss": ISSUER, "aud": RESOURCE, "sub": "ada", "scope": "strap"}
    claims["exp"] = int(time.time()) + 3600
    return jwt.encode(claims, private, algorithm="ES256", headers={"kid": "k"})


async def _admitted(principals: Principals, request: Request, checked: Any = None) -> None:
    if checked is not None:
        checked.clear()
    found = await principals.admit(request)
    assert isinstance(found, Principal)
    assert not found.rate.take()
    assert await found.tool._refuse({}, CALLER) is None  # noqa: SLF001 - the limits of calls


async def _each(calls: int, do: Callable[[], Awaitable[object]]) -> float:
    means = []
    for _ in range(ROUNDS):
        started = time.thread_time()
        for _ in range(calls):
            await do()
        means.append((time.thread_time() - started) / calls * 1e6)
    return statistics.median(means)
