"""Commands of vaults: their real shapes, locked, asking, slow, too long."""

import asyncio
import os
import time
from base64 import b32encode
from pathlib import Path

import pytest

from strap import ActionError, PolicyDenied
from strap.config import load
from strap.credentials import vault_command
from tests.support.vaults import Vaults
from tests.support.waiting import becomes

pytestmark = pytest.mark.anyio
PASSWORD = "correct horse battery"
SITE = "https://shop.test"
RECIPES = {
    "op": ["op", "read", "op://Work/shop/password"],
    "bw": ["bw", "get", "password", "Work/shop/password"],
    "pass": ["pass", "show", "Work/shop/password"],
    "gopass": ["gopass", "show", "-o", "Work/shop/password"],
    "secret-tool": ["secret-tool", "lookup", "name", "Work/shop/password"],
    "vault": ["vault", "kv", "get", "-field=password", "Work/shop/password"],
    "aws": [
        *("aws", "secretsmanager", "get-secret-value", "--secret-id", "Work/shop/password"),
        *("--query", "SecretString", "--output", "text"),
    ],
    "keyring": ["keyring", "get", "Work/shop/password", "ada"],
}


@pytest.fixture
def vaults(tmp_path, monkeypatch):
    made = Vaults(tmp_path)
    made.put("Work/shop/password", PASSWORD)
    monkeypatch.setenv("PATH", f"{made.folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("VAULT_FOLDER", str(made.folder))
    return made


def secrets(tmp_path, **table):
    tables = {"shop": {"origins": [SITE], **table}}
    return load(environ={}, directory=tmp_path, secrets=tables).secrets


async def failure(known, text="{{shop}}"):
    """The error of a secret that is not to be had, which shows nothing of it."""
    with pytest.raises(ActionError) as caught:
        await known.filled(text, SITE)
    assert caught.value.code == "secret_unavailable"
    assert PASSWORD not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("name", RECIPES)
async def test_recipes_of_vaults_open_and_locked(tmp_path, vaults, name):
    known = secrets(tmp_path, command=RECIPES[name])
    vaults.lock()
    locked = await failure(known)
    assert "is locked: unlock it" in str(locked)
    assert locked.retryable
    vaults.lock(locked=False)
    assert await known.filled("a {{shop}}", f"{SITE}/x") == f"a {PASSWORD}"
    assert known.hide(f"say {PASSWORD}, {PASSWORD.upper()}") == "say {{shop}}, {{shop}}"
    vaults.put("Work/shop/password", "another one")
    assert await known.filled("{{shop}}", SITE) == PASSWORD  # for a minute
    assert len(vaults.calls) == 2


async def test_it_is_not_run_before_it_is_known_that_it_belongs_there(tmp_path, vaults):
    known = secrets(tmp_path, command=RECIPES["op"])
    with pytest.raises(PolicyDenied):
        await known.filled("{{shop}}", "https://evil.test")
    assert vaults.calls == []


async def test_a_value_that_changes_is_obtained_anew_and_the_old_one_stays_masked(
    tmp_path, vaults, monkeypatch
):
    monkeypatch.setattr(vault_command, "KEPT", 0)
    known = secrets(tmp_path, command=RECIPES["bw"])
    copy = known.remembering()
    await copy.filled("{{shop}}", SITE)
    vaults.put("Work/shop/password", "another password")
    assert await known.filled("{{shop}}", SITE) == "another password"
    assert copy.hide(f"{PASSWORD} another password") == "{{shop}} {{shop}}"
    assert copy.held_in("another password") == ["shop"]


async def test_many_callers_at_once_run_it_once(tmp_path, vaults):
    known = secrets(tmp_path, command=RECIPES["op"])
    got = await asyncio.gather(*(known.filled("{{shop}}", SITE) for _ in range(50)))
    assert set(got) == {PASSWORD}
    assert len(vaults.calls) == 1


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("asking", "is locked"),
        ("endless", "wrote more than 64 KB"),
        ("long", "wrote more than 64 KB"),
        ("short", "8 or more printable characters"),
        ("empty", "gave no text"),
        ("binary", "gave no text"),
        ("no-such-program", "cannot be started"),
        ("op", "ended with status 1"),
    ],
)
async def test_what_gives_no_secret(tmp_path, vaults, command, why):
    began = time.monotonic()
    error = await failure(secrets(tmp_path, command=[command]))
    assert why in str(error)
    assert error.hint
    assert time.monotonic() - began < 8


async def test_a_slow_one_is_ended_with_its_children(tmp_path, vaults, monkeypatch):
    monkeypatch.setattr(vault_command, "LIMIT", 1.5)
    assert "did not end within" in str(await failure(secrets(tmp_path, command=["slow"])))
    await failure(secrets(tmp_path, command=["parent"]))
    child = int((vaults.folder / "child").read_text())
    await becomes(lambda: not is_running(child))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


async def test_it_has_the_environment_and_no_input(tmp_path, vaults, monkeypatch):
    monkeypatch.setenv("VAULT_NOTE", "from the environment")
    for command, value in (("environment", "from the environment"), ("stdin", "nobody typed")):
        known = secrets(tmp_path, command=[command])
        assert await known.filled("{{shop}}", SITE) == value


async def test_keys_and_codes_of_vaults(tmp_path, vaults):
    key = b32encode(b"12345678901234567890").decode()
    vaults.put("shop/key", f"otpauth://totp/Shop?secret={key}&digits=8")
    (vaults.folder / "code").write_text("123456")
    known = secrets(tmp_path, totp_command=["op", "read", "op://shop/key"])
    assert len(await known.filled("{{shop.code}}", SITE)) == 8
    ready = secrets(tmp_path, totp_command=["op", "read", "op://shop/one?attribute=otp"])
    assert await ready.filled("{{shop.code}}", SITE) == "123456"
    assert ready.hide("it is 123 456") == "it is {{shop.code}}"
    vaults.put("shop/key", "no key at all!")
    wrong = secrets(tmp_path, totp_command=["op", "read", "op://shop/key"])
    assert "must be a base32 key" in str(await failure(wrong, "{{shop.code}}"))


def test_a_command_of_the_environment(tmp_path):
    for text in ('["op", "read", "op://a b"]', "op read 'op://a b'"):
        environ = {"STRAP_SECRETS__S__COMMAND": text, "STRAP_SECRETS__S__ORIGINS": SITE}
        assert "s" in load(environ=environ, directory=tmp_path).secrets.as_json()
