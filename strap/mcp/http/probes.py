"""What load balancers and orchestrators ask: whether the server lives, and takes new sessions.

Whoever asks shows no token and may call the server by any name; the answer is a word.
"""

from starlette.responses import PlainTextResponse, Response

HEALTH, READY = "/healthz", "/readyz"
PATHS = (HEALTH, READY)


def answer(path: str, *, ready: bool) -> Response:
    """Return the answer to a probe at one of `PATHS`: that there is one says that it lives."""
    if path == HEALTH or ready:
        return PlainTextResponse("ok\n")
    return PlainTextResponse("not ready\n", status_code=503)
