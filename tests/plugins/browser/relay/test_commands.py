"""`strap chrome` in a process of its own, and what `strap doctor` says of the profile."""

import asyncio
import json
import socket
import stat
import subprocess
import sys

import pytest

from strap_browser.relay.access.extension_id import extension_id
from strap_browser.relay.access.pairing import Pairing
from strap_browser.relay.server import Relay
from tests.plugins.browser.relay import scripted

pytestmark = pytest.mark.anyio


@pytest.fixture
def strap_chrome(home, unused_port):
    async def run(*words):
        environ = {
            "STRAP_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin",
            "STRAP_BROWSER__RELAY_PORT": str(unused_port),
        }  # fmt: skip
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "strap", *words],
            capture_output=True,
            text=True,
            env=environ,
            timeout=60,
            check=True,
        )
        return done.stdout, done.stderr

    return run


async def test_pairing_shows_one_secret_until_a_new_one_is_wanted(strap_chrome, home, unused_port):
    secret, steps = await strap_chrome("chrome", "pair")
    assert len(secret.strip()) == 43
    assert f"with port {unused_port}" in steps
    file = home / "chrome" / "secret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["secret"]
    assert (await strap_chrome("chrome", "pair"))[0] == secret
    renewed, _ = await strap_chrome("chrome", "pair", "--new")
    assert renewed.strip() == Pairing(home).read() != secret.strip()


async def test_status_says_what_is_missing(strap_chrome, home, unused_port, chromium):
    async def status():
        return (await strap_chrome("chrome", "status"))[0]

    assert await status() == "Not paired: `strap chrome pair` tells how.\n"
    pairing = Pairing(home)
    pairing.renew()
    assert f"No strap process listens on port {unused_port}" in await status()
    with socket.create_server(("127.0.0.1", unused_port)):
        assert "another program has port" in await status()
    relay = Relay(pairing, scripted.ID, unused_port)
    await relay.start()
    try:
        assert "Chrome is not connected" in await status()
        async with scripted.extension(unused_port, pairing.read(), chromium) as extension:
            await extension.grant()
            assert await status() == "Connected: Chrome/1, extension 1, 1 tab granted.\n"
            told, _ = await strap_chrome("doctor")
            assert "Connected: Chrome/1" in told
    finally:
        await relay.aclose()


async def test_the_extension_is_named_and_copied(strap_chrome, tmp_path):
    told, steps = await strap_chrome("chrome", "extension", "--copy", str(tmp_path / "copy"))
    assert told.strip() == str(tmp_path / "copy")
    assert extension_id() in steps
    assert "Load unpacked" in steps
    assert json.loads((tmp_path / "copy" / "manifest.json").read_text())["manifest_version"] == 3
    place, _ = await strap_chrome("chrome", "extension")
    assert place.strip().endswith("chrome_extension")
