"""Challenges to clients with no token, a bad one, or one of too few scopes (RFC 6750)."""

from urllib.parse import urlsplit

from mcp.server.auth.handlers.metadata import ProtectedResourceMetadataHandler
from mcp.server.auth.routes import cors_middleware
from mcp.shared.auth import ProtectedResourceMetadata
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from strap.mcp.http.answers import RETRY, refusal
from strap.mcp.http.identity.oauth_settings import OAuthSettings

WELL_KNOWN = "/.well-known/oauth-protected-resource"
IN_QUERY = "access_token"


class Challenges:
    """The refusals of a server; with OAuth they say where tokens are to be had."""

    def __init__(self, oauth: OAuthSettings | None) -> None:
        self.metadata: ASGIApp | None = None
        """Answers at `metadata_path` (RFC 9728)."""
        self.metadata_path: str | None = None
        self._where: dict[str, str] = {}
        self._scopes: dict[str, str] = {}
        self._all_scopes: dict[str, str] = {}
        if oauth is not None:
            self._point_to(oauth)

    def _point_to(self, oauth: OAuthSettings) -> None:
        parts = urlsplit(oauth.resource)
        self.metadata_path = WELL_KNOWN + parts.path.rstrip("/")
        metadata = ProtectedResourceMetadata.model_validate(
            {
                "resource": oauth.resource,
                "authorization_servers": list(oauth.issuers),
                "scopes_supported": list(oauth.known_scopes) or None,
                "resource_name": "strap",
            }
        )
        methods = ["GET", "OPTIONS"]
        answer = cors_middleware(ProtectedResourceMetadataHandler(metadata).handle, methods)
        self.metadata = Route(self.metadata_path, endpoint=answer, methods=methods).handle
        url = f"{parts.scheme}://{parts.netloc}{self.metadata_path}"
        self._where = {"resource_metadata": url}
        self._scopes = {"scope": " ".join(oauth.scopes)} if oauth.scopes else {}
        known = oauth.known_scopes
        self._all_scopes = {"scope": " ".join(known)} if known else {}

    def malformed(self, request: Request) -> Response | None:
        """Refuse a token in the address, where logs keep it, and what could be read in two ways."""
        if IN_QUERY in request.query_params:
            why = "A token belongs into the header Authorization and not into the address."
        elif len(request.headers.getlist("authorization")) > 1:
            why = "There is more than one header Authorization."
        else:
            return None
        return self._refused(why, 400, error="invalid_request", error_description=why)

    def unknown(self, why: str = "") -> Response:
        """Refuse who shows no token, or one that is bad because of `why`, in ASCII."""
        reason = {"error": "invalid_token", "error_description": why} if why else {}
        text = why or "A valid bearer token is needed."
        return self._refused(text, 401, **reason, **self._scopes, **self._where)

    def insufficient(self) -> Response:
        """Refuse a token whose scopes allow nothing here."""
        why = "The token has too few scopes."
        reason = {"error": "insufficient_scope", "error_description": why}
        return self._refused(why, 403, **reason, **self._all_scopes, **self._where)

    def _refused(self, why: str, status: int, **fields: str) -> Response:
        challenge = ", ".join(
            f'{key}="{value}"' for key, value in {"realm": "strap", **fields}.items()
        )
        return refusal(why, status, {"www-authenticate": f"Bearer {challenge}"})


def unavailable(why: str) -> Response:
    """Refuse for now, whoever it is."""
    return refusal(f"{why} Try again later.", 503, RETRY)
