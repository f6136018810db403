"""An issuer of access tokens on loopback: keys of its own, and all that clients ask of one."""

import base64
import hashlib
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.site.serving import serving

RESOURCE = "https://web.example/mcp"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
"""Made once: it takes a while."""


class Key:
    """A private key and what an issuer publishes of it."""

    def __init__(self, name, algorithm="ES256"):
        self.name, self.algorithm = name, algorithm
        made = {
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }
        self.private = made.get(algorithm, lambda: RSA)()
        public = jwt.get_algorithm_by_name(algorithm).to_jwk(self.private.public_key())
        self.jwk = {**json.loads(public), "kid": name, "use": "sig", "alg": algorithm}

    @property
    def pem(self):
        public = self.private.public_key()
        return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def sign(self, claims, **header):
        headers = {"kid": self.name, "typ": "at+jwt", **header}
        return jwt.encode(claims, self.private, algorithm=self.algorithm, headers=headers)


class Issuer:
    """Serves its metadata, its keys, and clients that want a token; `asked` are the paths."""

    def __init__(self, path=""):
        self.keys = [Key("first")]
        self.asked = []
        self.metadata = {}
        """Metadata that it tells beside, or instead of, the truth."""
        self.scopes = "strap"
        self._codes = {}
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.answer(self, None)

            def do_POST(self):
                issuer.answer(self, self.rfile.read(int(self.headers["content-length"])))

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self.name = self.origin + path
        self._serving = serving(self._server)

    def __enter__(self):
        self._serving.__enter__()
        return self

    def __exit__(self, *error):
        self._serving.__exit__(*error)
        self._server.server_close()

    def token(self, key=None, header=None, **claims):
        """An access token; claims that are None are left out."""
        now = int(time.time())
        usual = {
            "iss": self.name,
            "sub": "ada",
            "aud": RESOURCE,
            "scope": self.scopes,
            "iat": now,
            "exp": now + 600,
        }
        told = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return (key or self.keys[-1]).sign(told, **(header or {}))

    def answer(self, handler, body):
        parts = urlsplit(handler.path)
        self.asked.append(parts.path)
        told = self._told(parts, body)
        if isinstance(told, str):
            handler.send_response(302)
            handler.send_header("location", told)
            handler.end_headers()
            return
        handler.send_response(404 if told is None else 200)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        handler.wfile.write(told if isinstance(told, bytes) else json.dumps(told).encode())

    def _told(self, parts, body):
        if parts.path.startswith("/.well-known/oauth-authorization-server"):
            return self._of_itself()
        if parts.path == "/jwks":
            return {"keys": [key.jwk for key in self.keys]}
        if parts.path == "/register":
            return {**json.loads(body), "client_id": "a-client"}
        if parts.path == "/authorize":
            return self._authorized({k: v[0] for k, v in parse_qs(parts.query).items()})
        if parts.path == "/token":
            return self._token({k: v[0] for k, v in parse_qs(body.decode()).items()})
        return None

    def _of_itself(self):
        return {
            "issuer": self.name,
            "jwks_uri": f"{self.origin}/jwks",
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "registration_endpoint": f"{self.origin}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            **self.metadata,
        }

    def _authorized(self, asked):
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        told = {"code": code, "state": asked["state"], "iss": self.name}
        return f"{asked['redirect_uri']}?{urlencode(told)}"

    def _token(self, asked):
        """The token of a code, if who asks knows the secret behind it (RFC 7636)."""
        wanted = self._codes.pop(asked["code"])
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == wanted["code_challenge"]
        assert asked["resource"] == wanted["resource"]
        token = self.token(aud=wanted["resource"], scope=wanted.get("scope", ""))
        return {"access_token": token, "token_type": "Bearer", "expires_in": 600}
