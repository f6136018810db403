"""A small web archive with the availability service that strap-wayback asks."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.site.serving import serving

COPY = "<html><title>Old</title><p>The page as it was.</p></html>"


class _Archive(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        if parts.path == "/available":
            self._available(parse_qs(parts.query))
        elif parts.path.startswith("/web/"):
            self._send(200, "text/html", COPY)
        else:
            self._send(404, "text/plain", "not here")

    def _available(self, query):
        url, stamp = query["url"][0], query.get("timestamp", ["20010203"])[0]
        if "never" in url:
            return self._send(200, "application/json", json.dumps({"archived_snapshots": {}}))
        if "garbage" in url:
            return self._send(200, "application/json", "<oops>")
        where = f"http://{self.headers['Host']}/web/{stamp}/{url}"
        closest = {"available": True, "url": where, "timestamp": stamp, "status": "200"}
        return self._send(
            200, "application/json", json.dumps({"archived_snapshots": {"closest": closest}})
        )

    def _send(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def serve_archive():
    """Serve it on a free port of loopback; yields its origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Archive) as server, serving(server):
        yield f"http://127.0.0.1:{server.server_port}"
