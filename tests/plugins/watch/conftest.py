"""Watches of a site whose pages a test changes."""

import pytest

from strap import Config
from strap_watch.store import Watch, Watches, new_id
from strap_watch.watching import add, look_again, open_web
from tests.site.server import Reply, serve


@pytest.fixture
def anyio_backend():
    return "asyncio"


class Lab:
    """One page, watched; `bodies` are what it says, look by look."""

    def __init__(self, home):
        self.home, self.bodies, self.reply, self.robots = home, [""], None, Reply(status=404)
        self.watches, self.told = Watches(home), []

    def answer(self, request):
        if request.headers.get("if-none-match") == '"same"':
            return Reply(status=304, headers={"ETag": '"same"'})
        body = self.bodies.pop(0) if len(self.bodies) > 1 else self.bodies[0]
        return self.reply or Reply(body=f"<!doctype html><title>P</title><main>{body}</main>")

    async def add(self, first, second=None, **fields):
        """Watch the page; the second look of those that learn sees `second`."""
        self.bodies = [first, first if second is None else second]
        fields = {"mode": "text", "every": 3_600} | fields
        asked = Watch(id=new_id(), url=f"{self.site}/page", **fields)
        self.watch = await add(self.web, self.watches, asked, 0)
        return self.watch

    async def look(self, body=None):
        self.bodies = self.bodies if body is None else [body]
        before = self.watch.number
        await look_again(self.web, self.watches, self.watch, self.told.append)
        return self.watches.changes(self.watch)[: self.watch.number - before][::-1]


@pytest.fixture
async def lab(tmp_path):
    opened = Lab(tmp_path)
    routes = {"/page": opened.answer, "/robots.txt": lambda _: opened.robots}
    routes["/login"] = "<!doctype html><main><h1>Log in</h1><p>Your password, please.</p></main>"
    with serve(routes) as site:
        opened.site = site
        config = opened.config = Config(
            home=tmp_path, outputs=tmp_path, network="local", plugins={"http": {"retries": 0}}
        )
        async with open_web(config) as opened.web:
            yield opened
