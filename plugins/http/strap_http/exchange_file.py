"""An exchange with a server as a HAR: the request as its caller wrote it, and the last answer."""

import time
from typing import TYPE_CHECKING

from strap import Secrets
from strap.evidence.har import Masking, as_date, whole_har

if TYPE_CHECKING:
    from strap_http.message.request import Request
    from strap_http.message.response import Response

SUFFIX = ".har"


def as_har(request: "Request", response: "Response", began: float, secrets: Secrets) -> bytes:
    """Return the file; `began` is in seconds since 1970. Credentials are masked; blocks."""
    masking, took = Masking(secrets=secrets), (time.time() - began) * 1000
    fields, mime = response.headers.multi_items(), response.headers.get("content-type", "")
    content = masking.content(response.body, mime)
    entry = {
        "startedDateTime": as_date(began),
        "time": took,
        "request": masking.request(
            request.method, request.url, request.fields, request.body or b""
        ),
        "response": masking.response(response.status, fields, content),
        "cache": {},
        "timings": {"send": 0, "wait": took, "receive": 0},
    }
    return whole_har([entry])
