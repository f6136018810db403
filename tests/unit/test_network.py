"""The guard beyond the table of cases: modes, allow-list, own ports, sources, look-ups."""

import socket
import threading

import pytest

from strap import ActionError, Guard, PolicyDenied, StartupError, UsageError, with_scheme
from strap.network import Space
from strap.network import resolver as resolving
from tests.unit.names import Names, names

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "url", ["http://localhost:3000/", "http://127.0.0.1/", "http://127.8.9.1/x"]
)
def test_local_mode_reaches_loopback_addressed_directly(url):
    target = Guard("local").check_url(url)
    assert target.space is Space.LOOPBACK
    assert target.url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://127.0.0.1./",
        "http://localhost./",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    ],
)
def test_disguised_loopback_is_refused_with_its_plain_spelling(url):
    with pytest.raises(PolicyDenied) as caught:
        Guard("local").check_url(url)
    assert caught.value.code == "disguised"
    assert caught.value.hint in (
        "Write 'http://127.0.0.1/'.",
        "Write 'http://localhost/'.",
        "Write 'http://[::1]/'.",
    )


async def test_a_name_never_leads_to_loopback_in_local_mode():
    for url in ("http://loop.test/", "http://app.localhost/"):
        with pytest.raises(PolicyDenied):
            await Guard("local", resolver=names(loop="127.0.0.1")).check(url)


async def test_all_mode_reaches_private_networks_but_not_what_is_no_destination():
    guard = Guard("all", resolver=Names({"intranet": [["10.0.0.5"]]}))
    assert (await guard.check("http://intranet/")).addresses == ("10.0.0.5",)
    assert guard.check_url("http://192.168.1.1/").space is Space.PRIVATE
    for url in ("http://0.0.0.0/", "http://224.0.0.1/", "http://169.254.169.254/"):
        with pytest.raises(PolicyDenied):
            guard.check_url(url)


async def test_the_allow_list_is_exact():
    guard = Guard(
        "public",
        ("10.0.0.5:8080", "[::1]:3000", "wiki.corp:80", "localhost:9000", "169.254.169.254:80"),
        resolver=Names({"wiki.corp": [["10.1.1.1"]]}),
    )
    for url in ("http://10.0.0.5:8080/", "http://[::1]:3000/", "http://localhost:9000/"):
        assert guard.check_url(url).space is not Space.PUBLIC
    assert (await guard.check("http://wiki.corp/")).addresses == ("10.1.1.1",)
    for url in (
        "http://10.0.0.5/",
        "http://10.0.0.6:8080/",
        "http://[::1]:3001/",
        "http://wiki.corp:81/",
        "http://127.0.0.1:9000/",
        "http://169.254.169.254/",
    ):
        with pytest.raises(PolicyDenied):
            await guard.check(url)


@pytest.mark.parametrize("entry", ["10.0.0.5", "*:80", "10.0.0.5:", "a b:80", "127.1:80", ""])
def test_a_bad_allow_list_entry_stops_the_start(entry):
    with pytest.raises(StartupError, match="allow_hosts"):
        Guard("public", (entry,))


def test_an_unknown_mode_stops_the_start():
    with pytest.raises(StartupError, match="'everything'"):
        Guard("everything")  # type: ignore[arg-type]


async def test_own_ports_are_refused_in_every_mode_and_allow_list():
    guard = Guard("all", ("127.0.0.1:9222",), resolver=names(loop="127.0.0.1"))
    guard.reserve(9222)
    for url in ("http://127.0.0.1:9222/", "http://localhost:9222/", "http://[::1]:9222/"):
        with pytest.raises(PolicyDenied, match="own ports"):
            guard.check_url(url)
    with pytest.raises(PolicyDenied, match="own ports"):
        await guard.check("http://loop.test:9222/")
    assert guard.check_url("http://10.0.0.5:9222/").port == 9222, "the port of another machine"
    guard.release(9222)
    assert guard.check_url("http://127.0.0.1:9222/").space is Space.LOOPBACK


@pytest.mark.parametrize("mode", ["public", "local", "all"])
async def test_a_public_page_may_not_lead_into_a_more_private_network(mode):
    guard = Guard(
        mode,
        ("127.0.0.1:3000",),
        resolver=names(public="93.184.215.14", private="10.0.0.5"),
    )
    public = await guard.check("http://public.test/")
    unresolved = guard.check_url("http://public.test/")
    for source in (public, unresolved):
        with pytest.raises(PolicyDenied) as caught:
            guard.check_url("http://127.0.0.1:3000/", source)
        assert caught.value.code == "more_private"
    with pytest.raises(PolicyDenied):
        await guard.check("http://private.test/", public)
    assert (await guard.check("http://public.test/", public)).space is Space.PUBLIC


async def test_a_local_page_may_lead_to_its_own_network_and_outwards():
    guard = Guard("all", resolver=names(public="93.184.215.14", private="10.0.0.5"))
    local = guard.check_url("http://localhost:3000/")
    assert (await guard.check("http://localhost:4000/", local)).port == 4000
    private = await guard.check("http://private.test/", local)
    assert private.space is Space.PRIVATE
    with pytest.raises(PolicyDenied):
        await guard.check("http://localhost:3000/", private)
    target = guard.check_url("http://private.test/")
    assert await guard.resolve(target, Space.PRIVATE) == ("10.0.0.5",)
    with pytest.raises(PolicyDenied):
        await guard.resolve(target, Space.PUBLIC)


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://EXAMPLE.com.:80", "http://example.com/"),
        ("https://example.com:443?q=1#f", "https://example.com/?q=1#f"),
        (
            "https://example.com:8443/a b/ü?q=ü%20x",
            "https://example.com:8443/a%20b/%C3%BC?q=%C3%BC%20x",
        ),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[2606:4700:4700:0:0::1111]/", "http://[2606:4700:4700::1111]/"),
        (" https://example.com/\n", "https://example.com/"),
    ],
)
def test_urls_are_made_canonical(url, canonical):
    assert Guard("public").check_url(url).url == canonical


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("example.com/a", "Write 'https://example.com/a'."),
        ("localhost:3000/a", "Write 'http://localhost:3000/a'."),
        ("127.0.0.1:80/x", "Write 'http://127.0.0.1:80/x'."),
        ("news", "Write 'https://…'."),
    ],
)
def test_a_url_without_scheme_gets_a_hint(url, hint):
    with pytest.raises(UsageError) as caught:
        Guard("public").check_url(url)
    assert caught.value.hint == hint


def test_a_lone_surrogate_is_not_text():
    with pytest.raises(UsageError, match="not text"):
        Guard("public").check_url("http://example.com/\ud800")


def test_passwords_are_not_repeated():
    with pytest.raises(UsageError) as caught:
        Guard("public").check_url("https://me:hunter2@example.com/")
    assert "hunter2" not in str(caught.value)


def test_a_denial_says_how_to_open_it():
    with pytest.raises(PolicyDenied) as caught:
        Guard("public").check_url("http://192.168.1.7:8123/")
    assert str(caught.value) == (
        "'http://192.168.1.7:8123/' is on a private network. The network mode is 'public'; "
        "allow_hosts = ['192.168.1.7:8123'] in strap's configuration would open it."
    )


async def test_a_denied_name_does_not_reveal_its_address():
    with pytest.raises(PolicyDenied) as caught:
        await Guard("public", resolver=names(inside="10.9.8.7")).check("http://inside.test/")
    assert "10.9.8.7" not in str(caught.value)


def test_websockets_only_where_asked_for():
    guard = Guard("local")
    with pytest.raises(PolicyDenied):
        guard.check_url("ws://localhost:3000/")
    target = guard.check_url("wss://example.com/", schemes=("ws", "wss"))
    assert (target.scheme, target.port) == ("wss", 443)


async def test_localhost_is_never_looked_up():
    guard = Guard("local", resolver=Names({}))
    assert (await guard.check("http://localhost/")).addresses == ("127.0.0.1", "::1")


async def test_an_answer_that_is_no_address_is_an_error_of_the_look_up():
    with pytest.raises(ActionError) as caught:
        await Guard("all", resolver=names(odd="not an address")).check("http://odd.test/")
    assert caught.value.code == "dns"


async def test_the_systems_resolver_answers():
    assert "127.0.0.1" in await resolving.SystemResolver()("localhost", 80)


@pytest.mark.parametrize(
    ("number", "retryable"), [(socket.EAI_NONAME, False), (socket.EAI_AGAIN, True)]
)
async def test_a_look_up_that_fails(monkeypatch, number, retryable):
    def fail(*_, **__):
        raise socket.gaierror(number, "text of the library")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(ActionError, match=r"'strap\.test'") as caught:
        await Guard("public").check("http://strap.test/")
    assert (caught.value.code, caught.value.retryable) == ("dns", retryable)
    assert "library" not in str(caught.value)


async def test_a_stuck_look_up_ends_and_keeps_its_slot(monkeypatch):
    release = threading.Event()
    started = []

    def stuck(host, port, **_):
        started.append(host)
        release.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", port))]

    monkeypatch.setattr(socket, "getaddrinfo", stuck)
    monkeypatch.setattr(resolving, "TIMEOUT", 0.05)
    monkeypatch.setattr(resolving, "LOOKUPS", 1)
    guard = Guard("public")
    for name in ("one.test", "two.test"):
        with pytest.raises(ActionError) as caught:
            await guard.check(f"http://{name}/")
        assert caught.value.retryable
    assert started == ["one.test"], "the second look-up waits for the slot of the first"
    release.set()
    monkeypatch.setattr(resolving, "TIMEOUT", 5.0)
    assert (await guard.check("http://two.test/")).addresses == ("93.184.215.14",)


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        ("localhost:3000", "http://localhost:3000"),
        ("localhost:3000?x=1", "http://localhost:3000?x=1"),
        ("localhost:3000#top", "http://localhost:3000#top"),
        ("localhost", "http://localhost"),
        ("127.0.0.1:8000/x", "http://127.0.0.1:8000/x"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("app.localhost/x", "http://app.localhost/x"),
        ("app.localhost:80", "http://app.localhost:80"),
        ("example.com", "https://example.com"),
        ("example.com/a:b", "https://example.com/a:b"),
        ("example.com:8080", "http://example.com:8080"),
        ("example.com:8080?q", "http://example.com:8080?q"),
        ("example.com:443", "https://example.com:443"),
        ("example.com:4430/x", "http://example.com:4430/x"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        (" example.com?q=1 ", "https://example.com?q=1"),
        ("https://example.com", "https://example.com"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("about:blank", "about:blank"),
        ("/relative", "/relative"),
        ("", ""),
    ],
)
def test_a_bare_url_gets_its_scheme(given, completed):
    assert with_scheme(given) == completed
