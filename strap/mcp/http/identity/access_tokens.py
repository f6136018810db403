"""Access tokens that are JWTs: whose they are, if they are what they claim (RFC 9068, 8725)."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from strap.api.extras import Extra
from strap.errors import StartupError
from strap.mcp.http.identity.fetching import Fetcher
from strap.mcp.http.identity.issuer import Issuer, Jwk
from strap.mcp.http.identity.oauth_settings import OAuthSettings
from strap.mcp.http.identity.tokens import digest
from strap.network import Guard
from strap.records import record

if TYPE_CHECKING:
    from jwt import PyJWK

OAUTH = Extra(name="oauth", modules=("jwt", "cryptography"))
ALGORITHMS = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384", "ES512"),
    "OKP": ("EdDSA",),
}
"""Algorithms for each type of key; none of them works with a secret that both sides know."""
TYPES = (None, "jwt", "at+jwt", "application/at+jwt")
"""Types of tokens that are access tokens; a DPoP proof or a log-out is none."""
LEEWAY = 30.0
"""Seconds by which clocks may differ."""
MOST_CHARACTERS = 8192
REMEMBERED, SECONDS = 1024, 60.0
"""Tokens that were checked, and for how long that holds: it takes 0.1 ms or more."""


class InvalidTokenError(Exception):
    """A token is not taken; the message says why, in words that a header can carry."""


@record
class Identity:
    """Whom a token is about: a `subject` means something only together with its `issuer`."""

    issuer: str
    subject: str
    scopes: frozenset[str]


class AccessTokens:
    """Checks tokens against the keys of their issuers; raises `StartupError` without `oauth`."""

    def __init__(
        self,
        settings: OAuthSettings,
        guard: Guard,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`guard` decides where keys may be; the issuers themselves always may be asked."""
        if OAUTH.missing:
            what = "Access tokens need the extra 'oauth'."
            raise StartupError(what, hint=f"Install it: {OAUTH.install}")
        self._resource = settings.resource
        fetcher = Fetcher(guard)
        self._issuers = {name: Issuer(name, fetcher, clock) for name in settings.issuers}
        self._clock = clock
        self._checked = OrderedDict[bytes, tuple[Identity, float]]()

    async def identity(self, token: str) -> Identity:
        """Return whom `token` is about; raises `InvalidTokenError` and `IssuerError`."""
        if len(token) > MOST_CHARACTERS:
            raise InvalidTokenError(f"The token has more than {MOST_CHARACTERS} characters.")
        key, now = digest(token), self._clock()
        known = self._checked.get(key)
        if known is not None and now < known[1]:
            return known[0]
        self._checked.pop(key, None)
        identity, expires = await self._check(token)
        self._checked[key] = identity, now + min(SECONDS, expires - time.time())
        if len(self._checked) > REMEMBERED:
            self._checked.popitem(last=False)
        return identity

    async def _check(self, token: str) -> tuple[Identity, float]:
        header, claimed = self._read(token)
        name = claimed.get("iss")
        issuer = self._issuers.get(name) if isinstance(name, str) else None
        if issuer is None:
            raise InvalidTokenError("The token is of another issuer.")
        jwk = await issuer.key(header.get("kid"))
        if jwk is None:
            raise InvalidTokenError("The token is signed with a key that its issuer does not have.")
        claims = self._verified(token, _prepared(jwk, header.get("alg")), claimed["iss"])
        if not claims["sub"]:
            raise InvalidTokenError("The token names nobody.")
        if "cnf" in claims:
            raise InvalidTokenError("The token is bound to a key (DPoP or TLS), not a bearer's.")
        identity = Identity(
            issuer=claims["iss"], subject=claims["sub"], scopes=frozenset(_scopes(claims))
        )
        return identity, float(claims["exp"])

    def _read(self, token: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the header and the claims of a token that need not be true yet."""
        import jwt

        try:
            parts = jwt.decode_complete(token, options={"verify_signature": False})
        except (jwt.PyJWTError, *_NONSENSE):
            raise InvalidTokenError("The token is not a JWT.") from None
        header, kind = parts["header"], parts["header"].get("typ")
        if (kind.lower() if isinstance(kind, str) else kind) not in TYPES:
            raise InvalidTokenError("The token is not an access token.")
        if header.get("alg") not in {algorithm for of in ALGORITHMS.values() for algorithm in of}:
            raise InvalidTokenError("The token is signed in a way that is not taken.")
        return header, parts["payload"]

    def _verified(self, token: str, key: "PyJWK", issuer: str) -> dict[str, Any]:
        import jwt

        try:
            return jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                audience=self._resource,
                issuer=issuer,
                leeway=LEEWAY,
                options={
                    "require": ["exp", "iss", "aud", "sub"],
                    "enforce_minimum_key_length": True,
                },
            )
        except jwt.ExpiredSignatureError:
            why = "The token has expired."
        except jwt.ImmatureSignatureError:
            why = "The token is not valid yet."
        except jwt.InvalidAudienceError:
            why = "The token is for another audience."
        except jwt.MissingRequiredClaimError as error:
            why = f"The token lacks the claim {error.claim}."
        except jwt.InvalidSignatureError:
            why = "The token is not signed by its issuer."
        except (jwt.PyJWTError, *_NONSENSE):
            why = "The token is not valid."
        raise InvalidTokenError(why)


_NONSENSE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""Errors of reading JSON from strangers, beside those of the library."""


def _prepared(jwk: Jwk, algorithm: object) -> "PyJWK":
    import jwt

    allowed = ALGORITHMS[jwk["kty"]]
    if algorithm not in allowed or jwk.get("alg", algorithm) != algorithm:
        raise InvalidTokenError("The token is signed in a way that its key is not for.")
    try:
        return jwt.PyJWK(dict(jwk), algorithm=str(algorithm))
    except (jwt.PyJWTError, *_NONSENSE):
        raise InvalidTokenError("The key of the token cannot be used.") from None


def _scopes(claims: dict[str, Any]) -> list[str]:
    """The scopes of a token: `scope` (RFC 9068), or a list `scp` as some issuers write it."""
    claim = claims.get("scope", claims.get("scp", ""))
    words = claim.split(" ") if isinstance(claim, str) else claim
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
