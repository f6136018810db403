"""A shop that wants a password and a one-time code, in as many shapes as sites have."""

import hashlib
import hmac
import secrets
import struct
import time
from base64 import b32encode
from urllib.parse import parse_qs

from tests.site.server import Reply, Request, Route

PASSWORD = "correct horse battery"
KEY = b32encode(b"12345678901234567890").decode()
HEAD = "<!doctype html><meta charset=utf-8><title>{}</title>"
LOGIN = HEAD.format("Log in")
CODE = "<input name=code aria-label=Code inputmode=numeric autocomplete=one-time-code>"
FIELDS = "<input name=user aria-label=User><input name=password type=password aria-label=Password>"
FORM = "<form method=post action=/check>{}<button>Log in</button></form>"
BOX = "<input class=box name=d{0} maxlength=1 size=1 inputmode=numeric aria-label='Digit {0}'>"
BOXES = (
    HEAD.format("Code")
    + "<style>.box{width:2em;height:2em}</style><form method=post action=/check>"
    + "".join(BOX.format(n) for n in range(1, 7))
    + """<input type=hidden name=code></form><script>
const boxes = [...document.querySelectorAll(".box")];
let code = Array(6).fill("");
boxes.forEach((box, n) => box.oninput = () => {
  const before = [...code];  // as a framework does, which draws anew after the event
  Promise.resolve().then(() => {
    code = before.map((digit, at) => at === n ? box.value : digit);
    boxes[n + 1]?.focus();
    document.querySelector("[name=code]").value = code.join("");
    if (code.every(Boolean)) document.querySelector("form").submit();
  });
});</script>"""
)
NARROW = BOXES.replace("maxlength=1 size=1", "style='width:40px;height:40px'")
SHADOW = (
    HEAD.format("Shadow")
    + """<div id=host></div><script>
document.querySelector("#host").attachShadow({mode: "open"}).innerHTML = `%s`;</script>"""
)


def code_of(seconds: float, key: bytes = b"12345678901234567890") -> str:
    """Return the code of a time: the server's own reckoning (RFC 6238)."""
    digest = hmac.new(key, struct.pack(">Q", int(seconds // 30)), hashlib.sha1).digest()
    at = digest[19] & 15
    number = struct.unpack(">I", digest[at : at + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


class Shop:
    """The server's side: it takes each code once, and echoes what it was sent."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.sent: list[dict[str, str]] = []

    def check(self, request: Request) -> Reply | str:
        """Answer a form: a session where password and code are right."""
        given = {name: values[-1] for name, values in parse_qs(request.body.decode()).items()}
        self.sent.append(given)
        code, now = given.get("code", ""), time.time()
        if given.get("password", PASSWORD) != PASSWORD:
            return f"{LOGIN}<p>Wrong password {given['password']}</p>"
        if not code:
            return LOGIN + FORM.format(CODE)
        if code not in (code_of(now), code_of(now - 30)) or code in self.used:
            return f"{LOGIN}<p>Wrong code {code}</p>"
        self.used.add(code)
        spaced = f"{code[:3]} {code[3:]}"
        page = f"<title>Welcome</title><h1>Welcome</h1><p>You sent {code}, that is {spaced}</p>"
        script = f"<script>console.log('code', {code!r}); fetch('/seen?c={code}')</script>"
        session = f"session={secrets.token_hex(8)}; Path=/"
        return Reply(headers={"Set-Cookie": session}, body=page + script)

    @property
    def routes(self) -> dict[str, Route]:
        """The pages."""
        return {
            "/one": LOGIN + FORM.format(FIELDS + CODE),
            "/next": LOGIN + FORM.format(FIELDS),
            "/boxes": BOXES,
            "/narrow": NARROW,
            "/shadow": SHADOW % FORM.format(CODE),
            "/framed": HEAD.format("Framed") + "<iframe src=/one width=600></iframe>",
            "/check": self.check,
            "/seen": "ok",
        }
