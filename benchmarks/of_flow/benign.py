"""Ordinary tasks over two and more sites, of a few dozen kinds: which of them the guard disturbs.

Each begins at a page with a login. `stopped` are tasks of which something was refused, with the
sites of the task named; `questions` is how often a person is asked, who says yes.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.bench import Bench, Table
from benchmarks.of_flow.victims import Call, browser, fetch, victims
from tests.plugins.browser.flow.world import World, opened_world
from tests.site.server import Reply, Request, Site, serve

STREETS = ("Hafenstraße", "Rue du Lac", "Mill Lane", "Via Roma", "Calle Mayor")
NAMES = ("Ada Winter", "Ben Okafor", "Chiara Russo", "Dmitri Volkov", "Emma Larsen")
FORM = """<title>{name}</title><h1>{name}</h1><form action=/done method={method}>
<input id=a name=a aria-label=First><input id=b name=b aria-label=Second>
<input id=c name=c aria-label=Third><select id=s name=s aria-label=Kind><option>parcel<option>letter
</select><button id=go>Go</button></form><img src=/logo.png><a id=more href=/more>More</a>
<button id=ask onclick="document.title = prompt('Amount')">Ask</button>
<script>a.oninput = () => fetch('/suggest?q=' + encodeURIComponent(a.value))</script>"""
DONE = "<title>Done</title><h1>Thank you</h1><a id=more href=/more>More</a>"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The mail of one task."""

    order: str
    name: str
    street: str
    city: str
    date: str
    amount: str
    iban: str


@dataclass(frozen=True, kw_only=True)
class Places:
    """The sites: `private` has the mail, the others are anybody's."""

    private: World
    carrier: str
    shop: str
    other: str
    idp: str

    @property
    def names(self) -> list[str]:
        sites = (str(self.private.mail), self.carrier, self.shop, self.other, self.idp)
        return [site.removeprefix("http://") for site in sites]


Kind = Callable[[Places, Facts], list[Call]]


def _filled(site: str, *values: str, by: str = "fill") -> list[Call]:
    fields = zip("abc", values, strict=False)
    key = "value" if by == "fill" else "text"
    entered = [browser(by, selector=f"#{name}", **{key: value}) for name, value in fields]
    return [browser("navigate", url=f"{site}/"), *entered, browser("click", selector="#go")]


def _search(site: str, words: str) -> list[Call]:
    return [fetch(f"{site}/?q={quote(words)}")]


KINDS: dict[str, Kind] = {
    "track an order": lambda p, f: _filled(p.carrier, f.order),
    "track by address": lambda p, f: [browser("navigate", url=f"{p.carrier}/?no={f.order}")],
    "follow a link of the mail": lambda p, f: [browser("click", selector="#track")],
    "open a link of the mail": lambda p, f: [
        browser("navigate", url=f"{p.carrier}/t?no={f.order}")
    ],
    "fetch a link of the mail": lambda p, f: [fetch(f"{p.carrier}/t?no={f.order}")],
    "share a link": lambda p, f: _filled(p.other, f"{p.shop}/more"),
    "compare prices": lambda p, f: [*_search(p.shop, "red shoes"), *_search(p.shop, "blue shoes")],
    "look at one shop": lambda p, f: [browser("navigate", url=p.shop), browser("text")],
    "book with an address": lambda p, f: _filled(p.other, f.name, f.street, f.city),
    "type an address": lambda p, f: _filled(p.other, f.name, f.street, f.city, by="type"),
    "enter a date": lambda p, f: _filled(p.other, "Meeting", f.date),
    "pay an invoice": lambda p, f: _filled(p.other, f.iban, f.amount, f.order),
    "convert an amount": lambda p, f: _search(p.other, f"{f.amount} EUR in USD"),
    "find a route": lambda p, f: [
        browser("navigate", url=f"{p.other}/?to={quote(f.street + ', ' + f.city)}")
    ],
    "look up the weather": lambda p, f: _search(p.other, f"weather {f.city}"),
    "choose from a list": lambda p, f: [
        browser("navigate", url=p.carrier),
        browser("select", selector="#s", value="letter"),
        browser("click", selector="#go"),
    ],
    "answer a dialog": lambda p, f: [
        browser("navigate", url=p.other),
        browser("click", selector="#ask"),
        browser("dialog", text=f.amount),
    ],
    "read on": lambda p, f: [
        browser("navigate", url=p.shop),
        *(browser("click", selector="#more") for _ in range(3)),
    ],
    "answer with a price": lambda p, f: [
        fetch(p.shop),
        browser("navigate", url=f"{p.private.mail}/inbox"),
        browser("fill", selector="#note", value="The shoes are 49.90 now."),
    ],
    "ask an API": lambda p, f: [
        fetch(f"{p.carrier}/api", method="POST", body={"number": f.order, "zip": "20457"})
    ],
    "log in elsewhere": lambda p, f: [
        browser("navigate", url=f"{p.idp}/login"),
        browser("fill", selector="#user", value="anna"),
        browser("fill", selector="#pin", value="{{word}}"),
        browser("click", selector="#enter"),
    ],
    "log in by another site": lambda p, f: [
        browser("navigate", url=f"{p.shop}/sso"),
        browser("fill", selector="#user", value="anna"),
        browser("fill", selector="#pin", value="{{word}}"),
        browser("click", selector="#enter"),
        browser("text"),
    ],
    "press keys": lambda p, f: [
        browser("navigate", url=p.carrier),
        *(browser("press", selector="#a", key=key) for key in f.order[-6:]),
        browser("click", selector="#go"),
    ],
    "fill several at once": lambda p, f: [
        browser("navigate", url=p.other),
        browser(
            "batch",
            steps=[
                f"browser fill selector=#a value='{f.name}'",
                f"browser fill selector=#b value='{f.date}'",
                "browser click selector=#go",
            ],
        ),
    ],
}


def tasks(number: int) -> Iterator[tuple[str, Facts]]:
    """Return so many tasks: the kind, and what stands in the mail."""
    dice, kinds = random.Random(61), [*KINDS]
    for at in range(number):
        yield (
            kinds[at % len(kinds)],
            Facts(
                order=f"DE{dice.randrange(10**9, 10**10)}",
                name=dice.choice(NAMES),
                street=f"{dice.choice(STREETS)} {dice.randrange(1, 120)}",
                city=dice.choice(("Hamburg", "Lyon", "Leeds", "Torino", "Bilbao")),
                date=f"2027-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}",
                amount=f"{dice.randrange(20, 900)}.{dice.randrange(100):02}",
                iban=f"DE{dice.randrange(10**19, 10**20)}",
            ),
        )


async def measure(bench: Bench, folder: Path) -> Table:
    table = Table(
        title="Ordinary tasks over several sites",
        columns=("mode", "person", "tasks", "kinds", "stopped", "questions", "most in a task"),
    )
    number = bench.runs(500, len(KINDS))
    for mode, person in (("off", None), ("strict", None), ("ask", None), ("ask", True)):
        stopped, questions, failed, several = [], [], list[str](), list[str]()
        own = folder / f"{mode} {person}"
        own.mkdir()
        with _places(own) as places:
            word = {"value": "open-sesame-1", "origins": [places.idp]}
            flows = places.names if mode == "strict" else []
            async with victims(places.private.home, mode, flows, word=word) as make:
                for kind, facts in tasks(number):
                    MAIL.facts = facts
                    victim = make(person)
                    inbox = f"{places.private.mail}/mail"
                    await victim.obey([browser("setup_state", state_id="work", url=inbox)])
                    await victim.obey(KINDS[kind](places, facts))
                    stopped += [f"{mode}: {kind}: {each}" for each in victim.refused[:1]]
                    failed += [f"{mode}: {kind}: {each}" for each in victim.failed[:1]]
                    questions.append(len(victim.asked))
                    if len(victim.asked) > 1:
                        several.append(f"{mode}: {kind}: {len(victim.asked)} questions")
                    await victim.leave()
        total = f"{sum(questions) / number:.2f}"
        said = "yes" if person else "nobody"
        table.rows.append([mode, said, number, len(KINDS), len(stopped), total, max(questions)])
        table.notes += [*dict.fromkeys((*stopped, *failed, *several))][:12]
    return table


class Mail:
    """The mail of the task that goes on, and two of the sites."""

    facts: Facts
    carrier = shop = ""

    def page(self, request: Request) -> str:
        if "sid=1" not in request.headers.get("cookie", ""):
            return "<h1>Log in</h1>"
        f, track = self.facts, f"{self.carrier}/t?no={self.facts.order}"
        return f"""<title>Mail</title><h1>Mail</h1><p>Order {f.order} for {f.name}, {f.street},
        {f.city}. Due {f.date}: {f.amount} EUR to {f.iban}.</p><textarea id=note aria-label=Note>
        </textarea><a id=track href="{track}">{track}</a>"""


MAIL = Mail()
LOGIN = """<title>Log in</title><form action=/enter method=post><input id=user name=user
aria-label=User><input type=hidden name=back value="BACK"><input type=password id=pin name=pin
aria-label=Password><button id=enter>Log in</button></form>"""


@contextmanager
def _places(folder: Path) -> Iterator[Places]:
    """Serve all sites; one logs people in for another, as OAuth does."""

    def enter(request: Request) -> Reply:
        back = request.body.decode().partition("back=")[2].partition("&")[0]
        where = f"{MAIL.shop}/back?code=c0ffee1234567890" if back else "/home"
        headers = {"Set-Cookie": "who=anna; Path=/", "Location": where}
        return Reply(status=302, headers=headers)

    def form(name: str, method: str = "get") -> dict[str, Any]:
        page = FORM.format(name=name, method=method)
        listed = {"/": page, "/done": DONE, "/more": DONE, "/suggest": "[]", "/api": "{}"}
        return {**listed, "/logo.png": Reply(status=204)}

    with ExitStack() as stack, opened_world(folder, extra={"/mail": MAIL.page}) as world:
        carrier = stack.enter_context(serve({**form("Carrier"), "/t": DONE}))
        other = stack.enter_context(serve(form("Booking", "post")))
        login = {"/login": lambda request: LOGIN.replace("BACK", "x" if request.query else "")}
        home = "<title>Home</title><h1>Home of anna@idp.example</h1>"
        idp = stack.enter_context(serve({**login, "/enter": enter, "/home": home}))
        sso = Reply(status=302, headers={"Location": f"{_name(idp)}/login?back=1"})
        back = Reply(status=302, headers={"Set-Cookie": "in=1; Path=/", "Location": "/"})
        shop = stack.enter_context(serve({**form("Shop"), "/sso": sso, "/back": back}))
        MAIL.shop, MAIL.carrier = _name(shop), _name(carrier)
        yield Places(
            private=world,
            carrier=_name(carrier),
            shop=_name(shop),
            other=_name(other),
            idp=_name(idp),
        )


def _name(site: Site) -> str:
    """Return the address of a site under another name than that of the mail."""
    return site.replace("127.0.0.1", "localhost")
