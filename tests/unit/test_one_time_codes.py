"""One-time codes of RFC 6238: its vectors, keys as people paste them, whom a code is given to."""

import asyncio
import os
import subprocess
import sys
import time
from base64 import b32encode

import pytest

from strap import ActionError, PolicyDenied, StartupError
from strap.config import load
from strap.config.secrets import Secrets
from strap.credentials.totp import Totp, read_key

pytestmark = pytest.mark.anyio
SEED = b"1234567890" * 7
KEYS = {"sha1": SEED[:20], "sha256": SEED[:32], "sha512": SEED[:64]}
VECTORS = {
    59: ("94287082", "46119246", "90693936"),
    1111111109: ("07081804", "68084774", "25091201"),
    1111111111: ("14050471", "67062674", "99943326"),
    1234567890: ("89005924", "91819424", "93441116"),
    2000000000: ("69279037", "90698825", "38618901"),
    20000000000: ("65353130", "77737706", "47863826"),
}
"""RFC 6238, appendix B."""
KEY = b32encode(KEYS["sha1"]).decode()
A, B = "https://a.test", "https://b.test"


def secrets(tmp_path, **table):
    tables = {"shop": {"origins": [A, B], **table}}
    return load(environ={}, directory=tmp_path, home=tmp_path, secrets=tables).secrets


@pytest.mark.parametrize("seconds", VECTORS)
@pytest.mark.parametrize("algorithm", KEYS)
def test_the_vectors_of_the_rfc(seconds, algorithm):
    key = b32encode(KEYS[algorithm]).decode()
    totp = read_key(f"otpauth://totp/Shop:ada?secret={key}&digits=8&algorithm={algorithm.upper()}")
    assert totp.code(seconds) == VECTORS[seconds][list(KEYS).index(algorithm)]


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        KEY.lower(),
        f" {KEY[:4]} {KEY[4:8]}-{KEY[8:]} ",
        f"otpauth://totp/Shop?secret={KEY}&issuer=Shop",
        f"OTPAUTH://TOTP/Shop?SECRET={KEY.lower()}&Algorithm=sha-1&period=30",
    ],
)
def test_keys_as_they_are_pasted(text):
    assert read_key(text) == Totp(key=KEYS["sha1"])


def test_keys_without_their_padding():
    assert read_key("MFRGGZDF").key == b"abcde"
    assert read_key("MFRGGZA").key == b"abcd"
    assert read_key("MFRGGZA=").key == b"abcd"


@pytest.mark.parametrize(
    ("totp", "why"),
    [
        ("hunter2!", "base32"),
        ("", "base32"),
        ("1890", "base32"),
        ("otpauth://totp/Shop", "base32"),
        ("otpauth://[/Shop?secret=QQ", "base32"),
        (f"otpauth://hotp/Shop?secret={KEY}&counter=1", "HOTP"),
        (f"otpauth://steam/Shop?secret={KEY}", "otpauth://totp/"),
        (f"otpauth://totp/Shop?secret={KEY}&digits=5", "6 to 8 digits"),
        (f"otpauth://totp/Shop?secret={KEY}&algorithm=MD5", "SHA512"),
        (f"otpauth://totp/Shop?secret={KEY}&period=0", "period"),
        (f"otpauth://totp/Shop?secret={KEY}&period=9999999", "period"),
    ],
)
def test_what_is_no_key_is_refused_without_showing_it(tmp_path, totp, why):
    with pytest.raises(StartupError, match=r"'secrets\.shop\.totp'") as caught:
        secrets(tmp_path, totp=totp)
    assert why in str(caught.value)
    assert KEY not in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({}, "needs 'value', 'command', 'totp'"),
        ({"value": "long enough", "command": ["op"]}, "'value' and 'command'"),
        ({"totp": KEY, "totp_command": ["op"]}, "'totp' and 'totp_command'"),
        ({"command": []}, "secrets.shop.command"),
        ({"command": [""]}, "secrets.shop.command"),
        ({"command": 'op "read'}, "must be like"),
    ],
)
def test_tables_that_say_too_little_or_too_much(tmp_path, table, why):
    with pytest.raises(StartupError) as caught:
        secrets(tmp_path, **table)
    assert why in str(caught.value)
    assert KEY not in str(caught.value)


async def test_a_code_is_given_to_one_origin_in_its_window(tmp_path):
    known = secrets(tmp_path, totp=KEY, value="long enough")
    code = await known.filled("{{shop.code}}", f"{A}/login")
    assert code in (read_key(KEY).code(time.time()), read_key(KEY).code(time.time() - 1))
    assert await known.filled("{{ shop.code }}", A) == code
    with pytest.raises(ActionError, match=rf"went to '{A}' already. Call again in \d+ s") as caught:
        await known.filled("{{shop.code}}", B)
    assert caught.value.retryable
    with pytest.raises(PolicyDenied, match=r"'shop\.code' is not for 'https://c\.test'"):
        await known.filled("{{shop.code}}", "https://c.test")
    assert await known.filled("{{shop}}", B) == "long enough"


def test_processes_of_a_data_directory_give_each_code_to_one_origin(tmp_path):
    totp = f"otpauth://totp/x?secret={KEY}&period=3600"  # the same code for all of the test
    (tmp_path / "strap.toml").write_text(
        f'[secrets.shop]\ntotp = "{totp}"\norigins = ["{A}", "{B}"]\n'
        f'[secrets.again]\ntotp = "{totp}"\norigins = ["{A}", "{B}"]\n'
    )
    script = (
        "import asyncio, sys; from pathlib import Path; from strap.config import load\n"
        "home = Path(sys.argv[1]); config = load(environ={}, directory=home, home=home)\n"
        "print(asyncio.run(config.secrets.filled(*sys.argv[2:])))"
    )

    def give(name, origin):
        command = [sys.executable, "-c", script, tmp_path, f"{{{{{name}.code}}}}", origin]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first = give("shop", A)
    assert first.stdout.strip() == read_key(totp).code(time.time())
    assert give("shop", A).stdout == first.stdout
    for name in ("shop", "again"):  # the same key by another name
        second = give(name, B)
        assert f"The present code of '{name}.code' went to '{A}' already" in second.stderr
        assert second.stdout == ""
    [link] = (tmp_path / "codes").iterdir()
    assert first.stdout.strip() not in link.name
    os.utime(link, (0, 0), follow_symlinks=False)
    assert give("shop", B).stdout == first.stdout  # its time is over long ago


async def test_codes_are_given_where_nothing_can_be_written(tmp_path):
    (tmp_path / "codes").write_text("no folder")
    known = secrets(tmp_path, totp=KEY)
    code = await known.filled("{{shop.code}}", A)
    assert await known.filled("{{shop.code}}", A) == code
    with pytest.raises(ActionError, match="already"):
        await known.filled("{{shop.code}}", B)


async def test_a_code_that_is_about_to_end_is_not_given(tmp_path):
    totp = f"otpauth://totp/x?secret={KEY}&period=6"
    known, key = secrets(tmp_path, totp=totp), read_key(totp)
    await asyncio.sleep((3.2 - time.time()) % 6)  # 2.8 s are left
    code = await known.filled("{{shop.code}}", A)
    assert code == key.code(time.time())
    assert time.time() % 6 < 2


async def test_codes_are_masked_however_a_page_writes_them(tmp_path):
    known = secrets(tmp_path, totp=KEY)
    copy, task = known.remembering(), known.among("use {{shop.code}}")
    code = await copy.filled("{{shop.code}}", A)
    for of in (known, copy, task, Secrets.from_json(known.as_json())):
        for text in (
            code,
            f"x{code}y",
            f"?c={code}&d",
            f"{code[:3]} {code[3:]}",
            "-".join(code),
            "\n".join(code),
            f"{code[:3]}\u00a0{code[3:]}",
        ):
            assert of.hide(text).count("{{shop.code}}") == 1
            assert code[:3] not in of.hide(text)
        spaced = "\u200b".join(code)
        assert of.hide(f"{spaced} %20".join("ab")) == "a{{shop.code}} %20b"
        assert of.hide(f"{code[:3]}%20{code[3:]}") == "{{shop.code}}"
        assert of.hide_all({"n": int("1" + code[1:])}) != {"n": code}
        assert of.hide(f"1{code} {code}0") == f"1{code} {code}0"  # other numbers
        assert of.held_in(f"a {code} b") == ["shop.code"]
        assert of.hide_bytes(b"\xff" + code.encode()) == b"\xff{{shop.code}}"
    if not code.startswith("0"):
        assert known.hide_all([int(code), 7, True]) == ["{{shop.code}}", 7, True]
    assert code not in repr(known) + repr(copy)
