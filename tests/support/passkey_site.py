"""A site that one signs in to with a passkey: it checks what WebAuthn has a server check."""

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key

from tests.site.server import Reply

PAGE = """<!doctype html><meta charset=utf-8><title>Passkeys</title><h1 id=who>Signed out</h1>
<button onclick="act('register')">Register</button><button onclick="act('sign-in')">Sign in</button>
<a href=/ target=_blank>Window</a>
<script>
const bytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")),
  each => each.charCodeAt());
const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/[+]/g, "-").replace(/[/]/g, "_").replace(/=/g, "");
const ask = async (path, body) => (await fetch(path, {method: "POST", body})).json();
async function act(what) {
  document.querySelector("#who").textContent = "Wait";
  try {
    const {challenge} = await ask("/challenge");
    const asked = {challenge: bytes(challenge), userVerification: "required"};
    let told;
    if (what === "register") {
      const made = await navigator.credentials.create({publicKey: {...asked,
        rp: {name: "Shop"}, user: {id: bytes("YWRh"), name: "ada", displayName: "Ada"},
        pubKeyCredParams: [{type: "public-key", alg: -7}],
        authenticatorSelection: {residentKey: "required", userVerification: "required"}}});
      told = {id: made.id, key: text(made.response.getPublicKey()),
        client: text(made.response.clientDataJSON),
        data: text(made.response.getAuthenticatorData())};
    } else {
      const used = await navigator.credentials.get({publicKey: asked});
      told = {id: used.id, client: text(used.response.clientDataJSON),
        data: text(used.response.authenticatorData), signature: text(used.response.signature)};
    }
    const answer = await ask("/" + what, JSON.stringify(told));
    document.querySelector("#who").textContent = answer.who + "!";
  } catch (error) {
    document.querySelector("#who").textContent = "Failed: " + error.name + "!";
  }
}
</script>"""


def _bytes(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class PasskeySite:
    """The server's side: challenges, public keys, and the counters of their use."""

    def __init__(self):
        self.challenges = set()
        self.keys = {}
        self.counters = {}

    def _challenge(self, request):
        text = urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
        self.challenges.add(text)
        return self._answer(challenge=text)

    def _checked(self, request, kind):
        told = json.loads(request.body)
        client, data = json.loads(_bytes(told["client"])), _bytes(told["data"])
        assert client["type"] == kind
        assert client["origin"] == f"http://{request.headers['host']}"
        self.challenges.remove(client["challenge"])
        assert data[:32] == hashlib.sha256(b"localhost").digest()
        assert data[32] & 0b101 == 0b101  # the person was there, and was verified
        return told, data

    def _register(self, request):
        told, data = self._checked(request, "webauthn.create")
        self.keys[told["id"]] = load_der_public_key(_bytes(told["key"]))
        self.counters[told["id"]] = int.from_bytes(data[33:37], "big")
        return self._answer(who="Registered")

    def _sign_in(self, request):
        told, data = self._checked(request, "webauthn.get")
        signed = data + hashlib.sha256(_bytes(told["client"])).digest()
        self.keys[told["id"]].verify(_bytes(told["signature"]), signed, ECDSA(SHA256()))
        counter = int.from_bytes(data[33:37], "big")
        if counter <= self.counters[told["id"]]:
            return self._answer(who="A copy of the passkey")
        self.counters[told["id"]] = counter
        return self._answer(who=f"Welcome Ada, time {counter}")

    @staticmethod
    def _answer(**told):
        return Reply(headers={"Content-Type": "application/json"}, body=json.dumps(told))

    @property
    def routes(self):
        return {
            "/": PAGE,
            "/challenge": self._challenge,
            "/register": self._register,
            "/sign-in": self._sign_in,
        }
