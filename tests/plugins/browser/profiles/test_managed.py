"""Settings of profiles of strap's own browsers, and what pages learn of them."""

import pytest

from strap import StartupError, testing
from strap.config import load
from strap_browser.settings.browser import BrowserSettings
from tests.plugins.browser.lifecycle.machine import gone, litter
from tests.site.server import Reply

pytestmark = pytest.mark.anyio

SEEN = """[navigator.language, navigator.userAgent, new Date(0).getHours(),
Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString(),
innerWidth, innerHeight]"""
WORKER = """new Promise((done) => {
  const worker = new Worker("/worker.js");
  worker.onmessage = (event) => done(event.data);
  worker.postMessage(1);
})"""
BERLIN = {
    "locale": "de-DE",
    "timezone": "Asia/Tokyo",
    "user_agent": "Tester/1.0",
    "viewport": [800, 500],
    "extra_headers": {"X-Team": "blue"},
}
EXPECTED = ["de-DE", "Tester/1.0", 9, "Asia/Tokyo", "1.234,5", 800, 500]


async def check(call, site):
    headers = await call.headers(site)
    assert headers["accept-language"].startswith("de-DE")
    assert (headers["user-agent"], headers["x-team"]) == ("Tester/1.0", "blue")
    assert await call.run(SEEN) == EXPECTED
    assert await call.run(WORKER) == ["de-DE", "Tester/1.0", "Asia/Tokyo"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_profile_tells_what_it_is_set_to(open_web, caller, site, home, transport):
    async with open_web(profiles={"berlin": BERLIN}) as web:
        call = caller(web.as_caller("one", transport=transport), "berlin")
        await call("launch")
        await check(call, site)
        await call("new_page", url=f"{site}/")
        assert await call.run(SEEN) == EXPECTED
        await call("evaluate", text="void open('/')")
        pages = (await call.result("list_pages")).data
        assert await call.run("navigator.language") == "de-DE"
        assert (await call.result("evaluate", text=SEEN, target_id=pages[-1]["id"])).data[
            "result"
        ] == EXPECTED
        await call("close")
        await gone(home)
        assert litter(home, "berlin") == []


async def test_a_profile_takes_from_all_what_it_does_not_set(open_web, caller, site):
    own = {"locale": "fr-FR", "viewport": [400, 300]}
    async with open_web(**BERLIN, profiles={"nebo": own}) as web:
        call = caller(web)
        await call("launch")
        headers = await call.headers(site)
        assert headers["user-agent"] == "Tester/1.0"
        assert headers["accept-language"].startswith("fr-FR")
        seen = await call.run(SEEN)
    assert (seen[0], seen[1], seen[3], seen[5:]) == (
        "fr-FR",
        "Tester/1.0",
        "Asia/Tokyo",
        [400, 300],
    )


async def test_what_is_not_set_is_up_to_the_browser(open_web, caller, site):
    async with open_web() as web:
        call = caller(web)
        await call("launch")
        headers = await call.headers(site)
        assert "Chrome/" in headers["user-agent"]
        assert (await call.run(SEEN))[5:] == [1280, 720]


async def test_profiles_have_logins_of_their_own(open_web, caller, site):
    async with open_web(profiles={"work": {}, "scratch": {"ephemeral": True}}) as web:
        work, scratch = caller(web, "work"), caller(web, "scratch")
        for call in (work, scratch):
            await call("launch")
            await call("navigate", url=f"{site}/set")
            assert await call.run("document.cookie") == "who=me"
            await call("close")
            await call("launch")
            await call("navigate", url=site)
        assert await work.run("document.cookie") == "who=me"
        assert await scratch.run("document.cookie") == ""
        other = caller(web.as_caller("other", transport="stdio"), "scratch")
        await scratch.run("document.cookie = 'who=again'")
        await other("navigate", url=site)
        assert await other.run("document.cookie") == ""


def settings(tmp_path, environ=None, **table):
    config = load(environ=environ or {}, directory=tmp_path, plugins={"browser": table})
    return config.settings("browser", BrowserSettings)


def test_the_environment_sets_profiles_too(tmp_path):
    environ = {
        "STRAP_BROWSER__PROFILES__NEBO__LOCALE": "pt-BR",
        "STRAP_BROWSER__PROFILES__WORK__VIEWPORT": "900x600",
    }
    found = settings(tmp_path, environ, profiles={"nebo": {"timezone": "UTC"}})
    assert set(found.profiles) == {"nebo", "chrome", "work"}
    assert found.profiles["chrome"].driver == "extension"
    nebo = found.of(found.profiles["nebo"])
    assert (nebo.locale, nebo.timezone, nebo.viewport) == ("pt-BR", "UTC", (1280, 720))
    assert found.of(found.profiles["work"]).viewport == (900, 600)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("locale", "german please"),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("viewport", [0, 500]),
        ("viewport", "wide"),
        ("viewport", [1, 2, 3]),
        ("user_agent", "one\ntwo"),
        ("user_agent", ""),
        ("extra_headers", {"Host": "a"}),
        ("extra_headers", {"Sec-Fetch-Site": "none"}),
        ("extra_headers", {"X Y": "a"}),
        ("extra_headers", {"X": "a\r\nY: b"}),
        ("driver", "safari"),
        ("ephemeral", "perhaps"),
        ("colour", "red"),
    ],
)
async def test_a_bad_value_is_named_when_strap_starts(tmp_path, key, value):
    with pytest.raises(StartupError) as caught:
        async with testing.router(
            home=tmp_path, plugins={"browser": {"profiles": {"work": {key: value}}}}
        ):
            pass
    assert f"'profiles.work.{key}" in str(caught.value)


def test_what_is_for_managed_browsers_is_refused_elsewhere(tmp_path):
    with pytest.raises(StartupError, match="'locale' does not go with driver 'extension'"):
        settings(tmp_path, profiles={"chrome": {"locale": "de"}})
    with pytest.raises(StartupError, match="profile name 'a b'"):
        settings(tmp_path, profiles={"a b": {}})


async def test_nothing_of_one_profile_means_anything_in_another(open_web, caller, serve_site):
    button = "<title>{}</title><button onclick='document.title = `USED`'>{}</button>"
    danger, safe = (
        str(serve_site({"/": button.format(*[name] * 2)})) for name in ("Danger", "Safe")
    )
    async with open_web(profiles={"other": {"ephemeral": True}}) as web:
        first, second = caller(web), caller(web, "other")
        refs, handles = [], []
        for call, url in ((first, danger), (second, safe)):
            await call("launch")
            refs.append((await call("navigate", url=url)).split()[-1])
            handles.append((await call.result("list_pages")).data[0]["id"])
        assert len(set(refs)) == len(set(handles)) == 2
        failing = {"resource": "browser", "action": "click", "profile": "nebo"}
        error = await web.fails(**failing, ref=refs[1])
        assert error.code == "stale_ref"
        assert f"give profile='other' target_id='{handles[1]}'" in str(error)
        assert (await web.fails(**failing, target_id=handles[1], ref=refs[0])).code == "no_page"
        assert await first.run("document.title") == "Danger"
        await second("click", ref=refs[1], target_id=handles[1])
        assert await second.run("document.title") == "USED"
        await first("close")
        await first("launch")
        again = (await first("navigate", url=danger)).split()[-1]
        assert again not in refs
        assert (await web.fails(**failing, ref=refs[0])).code == "stale_ref"


async def test_a_password_is_given_by_the_headers_of_a_profile(open_web, caller, serve_site):
    def locked(request):
        if request.headers.get("authorization") == "Basic YWRhOmxvdmU=":
            return "<title>Staff</title><h1>Welcome</h1>"
        return Reply(
            status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}, body="<h1>No</h1>"
        )

    site = serve_site({"/": locked})
    staff = {"extra_headers": {"Authorization": "Basic YWRhOmxvdmU="}}
    async with open_web(profiles={"staff": staff}) as web:
        call = caller(web, "staff")
        await call("launch")
        assert 'h1 "Welcome"' in await call("navigate", url=str(site))
