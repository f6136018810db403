"""Pages of others on loopback, without their own scripts, for as long as they are measured."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.DOTALL | re.IGNORECASE)


def without_scripts(page: str) -> str:
    return _SCRIPT.sub("", page)


@contextmanager
def served(pages: Mapping[str, str]) -> Iterator[str]:
    """Serve pages by their paths; yields the origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            with suppress(ConnectionError):  # who has seen enough hangs up
                self.wfile.write((page or "").encode("utf-8", "replace"))

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
