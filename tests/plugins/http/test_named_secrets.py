"""Secrets by name: where they go, where they do not, and that no answer shows them."""

import pytest

from strap import PolicyDenied, UsageError, testing
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio

TOKEN = "token-1234567890"
BEARER = {"Authorization": "Bearer {{api}}"}


@pytest.fixture
async def web_for(tmp_path):
    """Open a router with the secret `api` for these origins."""
    opened = []

    async def make(*origins):
        secrets = {"api": {"value": TOKEN, "origins": list(origins)}}
        context = testing.router(home=tmp_path, network="local", secrets=secrets)
        opened.append(context)
        return await context.__aenter__()

    yield make
    for context in opened:
        await context.__aexit__(None, None, None)


async def fetch(web, url, headers=BEARER, **fields):
    return await web(resource="http", action="fetch", url=url, headers=headers, **fields)


def echo(request):
    said = request.headers.get("authorization", "nothing")
    return Reply(headers={"X-Echo": said, "Content-Type": "text/plain"}, body=f"You said {said}.")


async def test_a_secret_is_filled_in_and_masked(web_for, tmp_path):
    with serve({"/": echo}) as site:
        web = await web_for(str(site))
        result = await fetch(web, f"{site}/")
        assert site.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
        assert result.text.endswith("You said Bearer {{api}}.")
        head = await fetch(web, f"{site}/", method="HEAD")
        assert "x-echo: Bearer {{api}}" in head.text
        await fetch(web, f"{site}/", output="file")
        assert TOKEN not in web.transcript
        assert TOKEN not in (web.router.config.outputs / "file").read_text()


async def test_it_goes_to_its_origins_only(web_for):
    with serve({"/": echo}) as site, serve({"/": echo}) as other:
        web = await web_for("https://api.example.com", str(other))
        error = await web.fails(resource="http", action="fetch", url=f"{site}/", headers=BEARER)
        assert isinstance(error, PolicyDenied)
        assert str(error) == (
            f"The secret 'api' is not for '{site}'. It is for https://api.example.com, {other}."
        )
        assert site.requests == []


@pytest.mark.parametrize("name", ["Authorization", "Accept-Language"])
async def test_it_does_not_follow_a_redirect(web_for, name):
    with serve({"/": echo}) as other:
        moved = Reply(status=302, headers={"Location": f"{other}/"})
        with serve({"/": moved}) as site:
            web = await web_for(str(site))
            call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
            await web.router.answer(call | {"headers": {name: "{{api}}"}})
            assert site.requests[0].headers[name.lower()] == TOKEN
        assert not any(TOKEN in str(request.headers) for request in other.requests)


async def test_a_redirect_that_repeats_it_does_not_show_it(web_for):
    def moved(request):
        token = request.headers["authorization"].removeprefix("Bearer ")
        return Reply(status=302, headers={"Location": f"/done?token={token}"})

    with serve({"/": moved, "/loop": moved, "/done": "ok"}) as site:
        web = await web_for(str(site))
        result = await fetch(web, f"{site}/")
        assert "token={{api}}" in result.text
        assert TOKEN not in str(result.data)

    def inside(request):
        return Reply(status=302, headers={"Location": f"http://10.0.0.5/?{TOKEN}"})

    with serve({"/": inside}) as site:
        web = await web_for(str(site))
        error = await web.fails(resource="http", action="fetch", url=f"{site}/", headers=BEARER)
        assert isinstance(error, PolicyDenied)
        assert TOKEN not in str(error)


async def test_what_was_stored_on_the_site_is_masked_without_the_header(web_for):
    with serve({"/": Reply(body=f"<p>{TOKEN}</p>")}) as site:
        web = await web_for(str(site))
        assert (await fetch(web, f"{site}/", headers={})).text.endswith("{{api}}")


async def test_an_unknown_name_is_an_error_before_anything_is_sent(web, web_for):
    with serve({"/": echo}) as site:
        for router, known in ((web, "none are set"), (await web_for(str(site)), "api")):
            error = await router.fails(
                resource="http", action="fetch", url=f"{site}/", headers={"X-A": "{{ other }}"}
            )
            assert isinstance(error, UsageError)
            assert str(error).startswith(f"There is no secret 'other'. Known: {known};")
        assert site.requests == []


async def test_the_cache_tells_values_apart(tmp_path):
    headers = {"Cache-Control": "max-age=600", "Content-Type": "text/plain"}
    counter = iter("abc")
    with serve({"/": lambda _: Reply(headers=headers, body=next(counter))}) as site:
        for value, expected in ((TOKEN, "a"), (TOKEN, "a"), ("another-token", "b")):
            secrets = {"api": {"value": value, "origins": str(site)}}
            async with testing.router(home=tmp_path, network="local", secrets=secrets) as web:
                assert (await fetch(web, f"{site}/")).text.endswith(expected)
