"""A small shop to test, with a bug: a rake costs as much as a spade.

    python shop.py [--port 3000] [--fixed]

Log-in and basket are in cookies, so each customer has their own; the orders are the shop's. It
needs the standard library alone, and listens on this machine only.
"""

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PASSWORD = "correct-horse"
PRICES = {"spade": "12.50", "rake": "9.00"}
NEWEST = 20
"""Orders that a reset leaves: cases that run beside the one that asks for it look for theirs."""
PAGE = """<!doctype html><html lang=en><title>{title}</title>
<style>body {{ font: 16px/1.6 system-ui; max-width: 36rem; margin: 3rem auto }}</style>
<h1>{title}</h1>{body}</html>"""
LOGIN = """<form method=post action=/login><p><label>User <input name=user></label>
<p><label>Password <input name=pass type=password></label><p><button>Log in</button></form>"""
TOOLS = """<p id=basket>{items}</p><form method=post action=/basket>
<button name=tool value=spade>Add spade</button> <button name=tool value=rake>Add rake</button>
</form><p><a href=/basket>Show basket</a>"""
BASKET = """<p>One {tool}.<p><label>Note <input name=note></label>
<p><button onclick="order()">Order</button><script>
async function order() {{
  const note = document.querySelector('[name=note]').value;
  await fetch('/api/orders', {{method: 'POST', body: JSON.stringify({{tool: '{tool}', note}})}});
  location = '/thanks?tool={tool}';
}}</script>"""
THANKS = "<p>One {tool}.<p><b>Total {price}</b>"


class Shop(ThreadingHTTPServer):
    """The shop; it forgets its orders when it ends."""

    def __init__(self, port: int, *, fixed: bool) -> None:
        super().__init__(("127.0.0.1", port), Customer)
        self.orders: list[dict[str, str]] = []
        self.prices = PRICES if fixed else dict.fromkeys(PRICES, PRICES["spade"])


class Customer(BaseHTTPRequestHandler):
    """Answers one customer."""

    server: Shop

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        tool = parse_qs(parts.query).get("tool", [""])[0]
        known = "session" in self._cookies()
        match parts.path:
            case "/api/orders":
                self._send(json.dumps(self.server.orders), "application/json")
            case "/thanks" if tool in PRICES:
                self._page("Thank you", THANKS.format(tool=tool, price=self.server.prices[tool]))
            case "/basket" if known and (tool := self._cookies().get("basket", "")) in PRICES:
                self._page("Basket", BASKET.format(tool=tool))
            case "/" | "/home" if known:
                number = int(self._cookies().get("basket", "") in PRICES)
                self._page("Tools", TOOLS.format(items="1 item" if number else "0 items"))
            case "/" | "/home":
                self._page("Welcome", LOGIN)
            case _:
                self._send("There is no such page.", "text/plain", status=404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        match self.path:
            case "/login" if form.get("pass") == PASSWORD:
                self._go("/home", "session=s1; HttpOnly; Path=/")
            case "/login":
                self._page("Welcome", f"<p>That is not the password.{LOGIN}", status=403)
            case "/basket" if form.get("tool") in PRICES:
                self._go("/home", f"basket={form['tool']}; Path=/")
            case "/api/orders":
                self.server.orders.append(json.loads(body))
                self._send("{}", "application/json", status=201)
            case "/test/reset":
                del self.server.orders[:-NEWEST]
                self._send("done", "text/plain")
            case _:
                self._send("There is no such page.", "text/plain", status=404)

    def _cookies(self) -> dict[str, str]:
        return dict(re.findall(r"(\w+)=([^;]*)", self.headers.get("Cookie", "")))

    def _page(self, title: str, body: str, status: int = 200) -> None:
        self._send(PAGE.format(title=title, body=body), "text/html; charset=utf-8", status)

    def _go(self, where: str, cookie: str) -> None:
        self.send_response(303)
        self.send_header("Location", where)
        self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, text: str, kind: str, status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing of what is asked."""


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description="A small shop to test.")
    parser.add_argument("--port", type=int, default=3000)
    parser.add_argument("--fixed", action="store_true", help="without the bug")
    given = parser.parse_args()
    with Shop(given.port, fixed=given.fixed) as shop:
        print(f"The shop is at http://localhost:{shop.server_port}", flush=True)
        try:
            shop.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
