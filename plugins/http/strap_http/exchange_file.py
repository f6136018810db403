"""An exchange with a server as a HAR: the request as its caller wrote it, and the last answer."""

import time
from typing import TYPE_CHECKING

from strap import Secrets
from strap.evidence.har import Masking, as_date, whole_har

if TYPE_CHECKING:
    from strap_http.message.request import Request
    from strap_http.message.response import Response

SUFFIX = ".har"
UNKNOWN = -1


def as_har(request: "Request", response: "Response", began: float, secrets: Secrets) -> bytes:
    """Return the file; `began` is in seconds since 1970. Credentials are masked; blocks."""
    masking, took = Masking(secrets=secrets), (time.time() - began) * 1000
    sent, told = dict(request.fields), response.headers.multi_items()
    asked = {
        "method": request.method,
        "url": masking.text(request.url),
        "httpVersion": "HTTP/1.1",
        "cookies": masking.cookies(sent.get("cookie", ""), ";"),
        "headers": masking.headers(request.fields),
        "queryString": masking.query(request.url),
        "headersSize": UNKNOWN,
        "bodySize": len(request.body or b""),
    }
    if request.body:
        asked["postData"] = masking.posted(request.body, sent.get("content-type", ""))
    cookies = "\n".join(value for name, value in told if name == "set-cookie")
    answered = {
        "status": response.status,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": masking.cookies(cookies, "\n"),
        "headers": masking.headers(told),
        "content": masking.content(response.body, response.headers.get("content-type", "")),
        "redirectURL": "",
        "headersSize": UNKNOWN,
        "bodySize": UNKNOWN,
    }
    entry = {
        "startedDateTime": as_date(began),
        "time": took,
        "request": asked,
        "response": answered,
        "cache": {},
        "timings": {"send": 0, "wait": took, "receive": 0},
    }
    return whole_har([entry])
