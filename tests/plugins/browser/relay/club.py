"""A site with members, and the agent's visit there with the logins of the user's own browser."""

import json

from tests.plugins.browser.runs.lab import click
from tests.site.server import Reply
from tests.support.model_server import act, done


def club(request):
    return f"<title>Club</title><h1>{request.headers.get('cookie', 'nobody')}</h1>"


ROUTES = {
    "/login": Reply(headers={"Set-Cookie": "member=ada"}, body="<title>In</title>Hello"),
    "/": '<title>Door</title><a href="/club">Club</a>',
    "/club": club,
}


async def visit(lab, site):
    """A run in pages of its own: it is known as the user, and never at the user's own tab."""
    result = await lab.raw(
        click("Club"),
        act("navigate", url=f"{site}/club", new_tab=True),
        done("ok"),
        profile="chrome",
    )
    answer = json.loads(result.text)
    assert (answer["status"], answer["result"]) == ("success", "ok"), answer
    assert answer["artifacts"]["screenshots"] >= 2
    seen = str([body["messages"] for body in lab.model.asked])
    assert "member=ada" in seen
    assert "/login" not in seen
