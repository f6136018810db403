"""`strap login`: from an empty data directory, in a process of its own, and again the next day."""

import json
import os
import pty
import subprocess
import sys
from secrets import token_hex
from urllib.parse import parse_qs

import pytest
from anyio import create_task_group, to_thread

from strap import ActionError, Caller, PolicyDenied, UsageError, open_router
from strap.config import load
from tests.site.server import Reply, serve
from tests.support.browser import SETTINGS
from tests.support.login_site import CODE, FIELDS, PASSWORD
from tests.support.person import Person

pytestmark = pytest.mark.anyio
HEAD = "<!doctype html><meta charset=utf-8><title>{0}</title><h1>{0}</h1>"
FORM = "<form method=post action=/enter>{}<button>Log in</button></form>"
SCRIPT = """# strap script 1
#param base_url="{site}"
navigate url={{base_url}}/login
fill ref='textbox "User"' value=ada
fill ref='textbox "Password"' value={{{{shop}}}}
click ref='button "Log in"'
{more}wait url=/home
"""
MAILED = "fill ref='textbox \"Code\"' value={{answer_1}}\nclick ref='button \"Log in\"'\n"
"""Lines to add where the code comes by mail."""


class Members:
    """Pages for members alone, whose sessions end when the server wants."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        self.logins = 0
        self.mailed = ""

    def is_member(self, request) -> bool:
        """Whether the request has a session that has not ended."""
        return any(f"sid={each}" in request.headers.get("cookie", "") for each in self.sessions)

    def home(self, request):
        """Send strangers to the login."""
        if self.is_member(request):
            return HEAD.format("Welcome Ada")
        return Reply(status=302, headers={"Location": "/login"})

    def single(self, request):
        """Draw the login on the same address, as applications of one page do."""
        if self.is_member(request):
            return HEAD.format("Welcome Ada")
        form = json.dumps(FORM.format(FIELDS))
        return f"{HEAD.format('App')}<script>document.body.innerHTML += {form}</script>"

    def enter(self, request):
        """Take the password, and the code where one was mailed."""
        given = {name: values[-1] for name, values in parse_qs(request.body.decode()).items()}
        if "code" not in given and given.get("password") != PASSWORD:
            return HEAD.format("Wrong password")
        if "code" not in given and self.mailed:
            return HEAD.format("Code") + FORM.format(CODE)
        if given.get("code", self.mailed) != self.mailed:
            return HEAD.format("Wrong code")
        self.logins += 1
        session = token_hex(8)
        self.sessions.add(session)
        return Reply(status=303, headers={"Location": "/home", "Set-Cookie": f"sid={session}"})

    @property
    def routes(self):
        """The pages."""
        return {
            "/login": HEAD.format("Log in") + FORM.format(FIELDS),
            "/enter": self.enter,
            "/home": self.home,
            "/app": self.single,
            "/broken": Reply(status=500, body="<h1>Sorry</h1>"),
        }


@pytest.fixture
def members():
    return Members()


@pytest.fixture
def site(members):
    with serve(members.routes) as running:
        yield str(running)


@pytest.fixture
def folder(tmp_path, site):
    """A folder with a script and the configuration of it."""
    (tmp_path / "shop.strap").write_text(SCRIPT.format(site=site, more=""))
    configure(tmp_path, site)
    return tmp_path


def configure(folder, site, login='script = "shop.strap"\ncheck = "/home"', value=PASSWORD):
    secret = f'[secrets.shop]\nvalue = "{value}"\norigins = ["{site}"]'
    if value.startswith("["):
        secret = secret.replace(f'value = "{value}"', f"command = {value}")
    (folder / "strap.toml").write_text(f"{secret}\n[logins.shop]\n{login}\n")


@pytest.fixture
def strap(folder):
    """Run a command in a process of its own; every word that it writes is without the password."""

    def run(*words, **options):
        environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        environ |= {"STRAP_HOME": str(folder / "home"), "STRAP_NETWORK": "local"}
        for key, value in SETTINGS.items():
            if value is not None:
                told = value if isinstance(value, str) else json.dumps(value)
                environ[f"STRAP_BROWSER__{key.upper()}"] = told
        done = subprocess.run(
            [sys.executable, "-m", "strap", *words],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            start_new_session=True,
            **options,
        )
        assert PASSWORD not in done.stdout + done.stderr
        return done

    async def call(*words, **options):
        return await to_thread.run_sync(lambda: run(*words, **options))

    return call


async def test_a_login_is_played_kept_and_played_again_when_it_has_expired(strap, members, folder):
    first = await strap("login", "shop")
    assert first.returncode == 0, first.stderr
    assert "Logged in by 5 calls: " in first.stdout
    assert "/home is shown. Saved the state 'shop' (1 cookie" in first.stdout
    assert members.logins == 1
    [cookie] = members.sessions
    assert cookie.encode() not in (folder / "home" / "states" / "shop.json").read_bytes()
    next_day = await strap("login", "shop")
    assert next_day.stdout.startswith("Still logged in: ")
    assert members.logins == 1
    members.sessions.clear()
    later = await strap("login", "shop")
    assert later.stdout.startswith("Logged in by 5 calls: ")
    assert members.logins == 2


async def test_two_logins_of_one_name_log_in_once(strap, members):
    async def log_in():
        done.append(await strap("login", "shop"))

    done = []
    async with create_task_group() as tasks:
        tasks.start_soon(log_in)
        tasks.start_soon(log_in)
    assert [each.returncode for each in done] == [0, 0], [each.stderr for each in done]
    said = sorted(each.stdout.partition(":")[0] for each in done)
    assert said == ["Logged in by 5 calls", "Still logged in"]
    assert members.logins == 1


async def test_a_field_without_the_recorded_mark_gets_no_password(strap, members, folder):
    line = "fill ref='textbox \"Password\"' value={{shop}}"
    evidence = {"format": 1, "calls": [{"line": line, "ref": {"marks": {"id": "secret-word"}}}]}
    (folder / "shop.strap.json").write_text(json.dumps(evidence))
    refused = await strap("login", "shop")
    assert refused.returncode == 1
    assert 'No element is textbox "Password" #secret-word.' in refused.stderr
    assert members.logins == 0


async def test_another_process_uses_what_was_saved(strap, members, folder, site):
    await strap("login", "shop")
    config = load(file=folder / "strap.toml", home=folder / "home", network="local", environ={})
    async with opened(config) as web:
        page = await web(action="setup_state", state_id="shop", url=f"{site}/home")
        assert "Welcome Ada" in page
    assert members.logins == 1


class opened:  # noqa: N801 - a function to who uses it
    """Python's own calls, with the browser of the tests."""

    def __init__(self, config) -> None:
        self.router = open_router(config=with_browser(config))

    async def __aenter__(self):
        web = await self.router.__aenter__()

        async def call(**fields):
            return (await web(resource="browser", **fields)).text

        return call

    async def __aexit__(self, *error):
        await self.router.__aexit__(*error)


def with_browser(config):
    from dataclasses import replace

    return replace(config, plugins={"browser": {**SETTINGS, "auto_launch": True}})


async def test_python_logs_in_with_a_call(members, folder, site):
    config = load(file=folder / "strap.toml", home=folder / "home", network="local", environ={})
    async with opened(config) as web:
        assert "Logged in by 5 calls" in await web(action="login", state_id="shop")
        assert "Welcome Ada" in await web(action="text")
        assert "Still logged in" in await web(action="login", state_id="shop")
        with pytest.raises(UsageError, match="There is no login 'shpo'") as unknown:
            await web(action="login", state_id="shpo")
        assert "Known: shop. Did you mean 'shop'?" in unknown.value.hint
        members.sessions.clear()
        folder.joinpath("shop.strap").write_text("wait url=/home\n")
        with pytest.raises(ActionError, match="opens no page"):
            await web(action="login", state_id="shop")
    assert members.logins == 1


async def test_a_login_at_the_same_address_is_seen_by_its_password_field(
    strap, members, folder, site
):
    configure(folder, site, 'script = "shop.strap"\ncheck = "/app"')
    assert (await strap("login", "shop")).stdout.startswith("Logged in by")
    assert (await strap("login", "shop")).stdout.startswith("Still logged in")
    members.sessions.clear()
    assert (await strap("login", "shop")).stdout.startswith("Logged in by")
    configure(folder, site, 'script = "shop.strap"\ncheck = "/app"\ntext = "Welcome Ada"')
    assert (await strap("login", "shop")).stdout.startswith("Still logged in")
    assert members.logins == 2


async def test_a_login_is_asked_about_first(members, folder):
    person = Person()
    person.answer = False
    config = load(
        file=folder / "strap.toml",
        home=folder / "home",
        network="local",
        confirm=["browser.login"],
        environ={},
    )
    caller = Caller(confirm=person)
    async with open_router(config=with_browser(config), caller=caller) as web:
        with pytest.raises(PolicyDenied, match="said no to browser"):
            await web(resource="browser", action="login", state_id="shop")
    assert [each.action for each in person.asked] == ["browser.login"]


@pytest.mark.parametrize(
    ("login", "told"),
    [
        ('check = "/home"', "Setting 'logins.shop.script' is missing."),
        ('script = "shop.strap"', "Setting 'logins.shop.check' is missing."),
        ('script = "none.strap"\ncheck = "/home"', "none.strap: No such file or directory."),
        ('script = "shop.strap"\ncheck = "/"\nkind = 1', "'logins.shop.kind' is unknown"),
        ('script = "shop.strap"\ncheck = "file:///etc"', "is not a page of a server"),
        ('script = "bad.strap"\ncheck = "/home"', "line 1:"),
        ('script = "open.strap"\ncheck = "/home"', "line 2: {word} has no value. Give one:"),
        ('script = "shop.strap"\ncheck = "/broken"', "is answered with the HTTP status 500"),
        ('script = "wrong.strap"\ncheck = "/home"', "line 2: fill ref='textbox \"Pass\"'"),
        ('script = "stays.strap"\ncheck = "/home"', "no login came of it: The page did not come"),
    ],
)
async def test_what_is_wrong_is_told(strap, folder, site, members, login, told):
    texts = {"bad": "no such thing\n", "open": "navigate url=/a\nfill ref=e1 value={word}\n"}
    texts["wrong"] = f"navigate url={site}/login\nfill ref='textbox \"Pass\"' value={{{{shop}}}}\n"
    texts["stays"] = f"navigate url={site}/login\n"
    for name, text in texts.items():
        (folder / f"{name}.strap").write_text(text)
    configure(folder, site, login)
    failed = await strap("login", "shop")
    assert failed.returncode != 0
    assert told in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (folder / "home" / "states" / "shop.json").exists()


async def test_a_state_of_another_site_is_not_overwritten(strap, folder, members, site):
    await strap("login", "shop")
    before = (folder / "home" / "states" / "shop.json").read_bytes()
    other = site.replace("127.0.0.1", "localhost")
    (folder / "shop.strap").write_text(SCRIPT.format(site=other, more=""))
    failed = await strap("login", "shop")
    assert "The state 'shop' is of 127.0.0.1, and the login 'shop' is for localhost." in (
        failed.stderr
    )
    assert "Name another one: state in [logins.shop]." in failed.stderr
    assert (folder / "home" / "states" / "shop.json").read_bytes() == before


async def test_a_locked_vault_is_told(strap, folder, site):
    vault = folder / "vault"
    vault.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('Vault is locked.')\n")
    vault.chmod(0o700)
    configure(folder, site, value=f'["{vault}"]')
    failed = await strap("login", "shop")
    assert failed.returncode != 0
    assert "line 5: fill " in failed.stderr
    assert "The vault is locked: unlock it for the user who runs strap" in failed.stderr


async def test_a_mailed_code_needs_a_person(strap, folder, site, members):
    members.mailed = "471193"
    (folder / "shop.strap").write_text(SCRIPT.format(site=site, more=MAILED))
    failed = await strap("login", "shop", stdin=subprocess.DEVNULL)
    assert failed.returncode != 0
    assert 'Nobody answered: What is to be entered in textbox "Code"?' in failed.stderr
    assert "Run it at a terminal" in failed.stderr
    assert members.logins == 0


async def test_a_person_at_the_terminal_is_asked_for_the_mailed_code(folder, site, members):
    members.mailed = "471193"
    (folder / "shop.strap").write_text(SCRIPT.format(site=site, more=MAILED))

    def at_a_terminal():
        pid, terminal = pty.fork()
        if not pid:
            os.chdir(folder)
            os.environ |= {"STRAP_HOME": str(folder / "home"), "STRAP_NETWORK": "local"}
            for key, value in SETTINGS.items():
                if value is not None:
                    told = value if isinstance(value, str) else json.dumps(value)
                    os.environ[f"STRAP_BROWSER__{key.upper()}"] = told
            os.execv(sys.executable, [sys.executable, "-m", "strap", "login", "shop"])
        shown = b""
        try:
            while chunk := os.read(terminal, 4096):
                shown += chunk
                if shown.endswith(b"? "):
                    os.write(terminal, b"471193\n")
        except OSError:  # the end of the other side
            pass
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    status, shown = await to_thread.run_sync(at_a_terminal)
    assert status == 0, shown
    assert 'What is to be entered in textbox "Code"?' in shown
    assert "Logged in by 7 calls" in shown
    assert members.logins == 1


CASE = """---
base_url: {site}
---
## Log in @setup(shop)
Log in as Ada with {{{{shop}}}}.
### Expect
- `url /home`
- `text "Welcome Ada"`
"""


async def test_a_setup_case_is_played_by_the_script_and_begins_with_what_was_saved(
    strap, members, folder, site
):
    (folder / "shop.case.md").write_text(CASE.format(site=site))
    for expected in (1, 1, 2):
        done = await strap("test", "--json")
        assert done.stdout, done.stderr
        record = json.loads(done.stdout)
        assert (record["status"], done.returncode) == ("passed", 0), done.stdout + done.stderr
        assert members.logins == expected
        assert (folder / "home" / "states" / "shop.json").exists()
        assert not (folder / ".strap" / "test" / "data" / "states").exists()
        if expected == 1 and record["attempts"][0]["notes"][0].startswith("Still"):
            members.sessions.clear()
    (folder / "shop.strap").write_text(f"navigate url={site}/broken\n")
    members.sessions.clear()
    failed = json.loads((await strap("test", "--json")).stdout)
    assert (failed["status"], failed["cause"]) == ("error", "setup")
    assert "login shop: " in failed["reason"]
