"""The shop of the documentation's example, and an agent that knows its way about it."""

import json
import re

from tests.plugins.browser.runs.lab import index_before, shown
from tests.site.server import Reply
from tests.support.model_server import act, acts, done

PRICES = {"spade": "12.50", "rake": "12.50"}
"""The rake should cost 9.00: that is the bug."""
JSON = {"Content-Type": "application/json"}
LOGIN = """<!doctype html><title>Shop</title><h1>Welcome</h1><form method=post action=/login>
<label>User <input name=user></label> <label>Password <input name=pass type=password></label>
<button>Log in</button></form>"""
HOME = """<!doctype html><title>Home</title><h1>Tools</h1><p id=basket>{basket}</p>
<form method=post action=/basket><button name=tool value=spade>Add spade</button>
<button name=tool value=rake>Add rake</button></form> <a href=/basket>Show basket</a>"""
BASKET = """<!doctype html><title>Basket</title><h1>Basket</h1>
<label>Note <input name=note></label> <button onclick="order()">Order</button><script>
async function order() {{
  const note = document.querySelector('[name=note]').value;
  const body = JSON.stringify({{tool: '{tool}', note}});
  await fetch('/api/orders', {{method: 'POST', body}});
  location = '/thanks?tool={tool}';
}}</script>"""
SOLD_OUT = """<!doctype html><title>Moon</title><h1>The moon</h1>
<button onclick="buy()">Buy it</button><script>
async function buy() {
  alert('It is sold out');
  console.error('no\\nmoon');
  await fetch('/test/broken');
  location = '/thanks?tool=moon';
}</script>"""
THANKS = """<!doctype html><title>Thanks</title><h1>Thank you</h1><p><b>Total {price}</b></p>"""


class Shop:
    """A shop; log-in and basket are in the customer's cookies, orders are the shop's own."""

    def __init__(self):
        self.orders, self.bodies = [], []
        self.routes = {
            "/": self._home,
            "/home": self._home,
            "/login": self._login,
            "/basket": self._basket,
            "/thanks": lambda asked: THANKS.format(price=PRICES.get(asked.query["tool"][0], "0")),
            "/api/orders": self._orders,
            "/moon": SOLD_OUT,
            "/test/reset": "done",
            "/test/broken": Reply(status=500, body="broken"),
        }

    def _home(self, asked):
        if "session" not in _cookies(asked):
            return LOGIN
        items = len(_cookies(asked).get("basket", "").split())
        return HOME.format(basket=f"{items} item{'' if items == 1 else 's'}")

    def _login(self, asked):
        self.bodies.append(asked.body.decode())
        return Reply(
            status=303, headers={"Location": "/home", "Set-Cookie": "session=s1; HttpOnly"}
        )

    def _basket(self, asked):
        if asked.method == "POST":
            tool = asked.body.decode().partition("=")[2]
            return Reply(status=303, headers={"Location": "/home", "Set-Cookie": f"basket={tool}"})
        return BASKET.format(tool=_cookies(asked).get("basket", ""))

    def _orders(self, asked):
        if asked.method == "POST":
            self.orders.append(json.loads(asked.body))
            return Reply(status=201, headers=JSON, body="{}")
        return Reply(headers=JSON, body=json.dumps(self.orders))


def _cookies(asked):
    return dict(re.findall(r"(\w+)=([^;]*)", asked.headers.get("cookie", "")))


def by_page(*moves):
    """Do what belongs to the page that is shown: the first of `(words of the page, what)`."""

    def choose(body):
        page = shown(body)
        what = next(what for words, what in moves if words in page)
        return what(page, str(body["messages"])) if callable(what) else what

    return choose


def click(text):
    """A click on the element that is shown before a text."""
    return lambda page, told: act("click", f"use {text}", index=index_before(page, text))


def enter(button, **texts):
    """Texts for fields by their names, then a click; RUN is the word that the task names."""

    def move(page, told):
        moves = []
        for name, text in texts.items():
            said = text.replace("RUN", "".join(re.findall(r"run [a-z]{8}", told)[-1:]))
            moves.append({"input": {"index": index_before(page, f"name={name}"), "text": said}})
        return acts(
            *moves, {"click": {"index": index_before(page, button)}}, goal="fill in the form"
        )

    return move


def finished(text="done", word="completed"):
    """The end of a task, with its status tag."""
    return done(f"{text}\n<status>{word}</status>")


LOG_IN = {"user": "ada@shop.test", "pass": "{{shop}}"}
SCRIPTS = {
    "Log in as ada@shop.test": [
        by_page(("Welcome", enter("Log in", **LOG_IN)), ("Tools", finished("logged in")))
    ],
    "Put one spade": [by_page(("1 item", finished()), ("Tools", click("Add spade")))],
    "Put one rake": [by_page(("1 item", finished()), ("Tools", click("Add rake")))],
    "Open the basket and order": [
        by_page(
            ("Thank you", finished("1: yes - the total is bold")),
            ("Tools", click("Show basket")),
            ("Basket", enter("Order", note="RUN")),
        )
    ],
    "1: The total stands out": [done("1: yes - the total is bold")],
}
"""Scripts of the agent, by words of its task."""
