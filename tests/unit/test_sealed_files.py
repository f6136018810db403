"""Saved logins at rest: encrypted, with a key in the keyring or beside them."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from strap import Config
from strap.credentials import sealed_files
from strap.credentials.sealed_files import KEY_FILE, OVERHEAD, opened, protection, write_sealed
from strap.errors import ActionError
from strap_browser.common.login_files import diagnose, read_login

ROOT = Path(__file__).parents[2]
LOGIN = {"cookies": [{"name": "sid", "value": "ada-lovelace"}], "origins": []}
CONTENT = json.dumps(LOGIN).encode()


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    sealed_files._asked_keyring.cache_clear()
    yield
    sealed_files._asked_keyring.cache_clear()


@pytest.fixture
def keyring(monkeypatch, tmp_path):
    pytest.importorskip("keyring")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.support.keyring_backend.FileKeyring")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "keyring.json"))
    return tmp_path / "keyring.json"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "states" / "shop.json"


def test_sealed_and_opened_with_a_key_beside_it(file):
    write_sealed(file, CONTENT)
    content = file.read_bytes()
    assert b"ada" not in content
    assert b"cookies" not in content
    assert len(content) <= len(CONTENT) + OVERHEAD
    assert opened(file, content) == CONTENT
    assert read_login(file) == LOGIN
    key = file.with_name(KEY_FILE)
    assert {each.stat().st_mode & 0o777 for each in (file, key)} == {0o600}
    assert {each.name for each in file.parent.iterdir()} == {"key", "shop.json"}
    write_sealed(file, CONTENT)
    assert file.read_bytes() != content  # another random start
    assert read_login(file) == LOGIN


def test_the_keyring_has_the_key_where_it_works(file, keyring, tmp_path):
    write_sealed(file, CONTENT)
    assert not file.with_name(KEY_FILE).exists()
    [[entry, key]] = json.loads(keyring.read_text()).items()
    assert entry == "strap/saved states"
    assert len(b64decode(key)) == 32
    assert key.encode() not in file.read_bytes()
    sealed_files._asked_keyring.cache_clear()  # as in a process that starts later
    assert read_login(file) == LOGIN
    assert (
        diagnose(Config(home=tmp_path, outputs=tmp_path)).detail
        == "encrypted, with the key in the system's keyring"
    )
    keyring.unlink()
    sealed_files._asked_keyring.cache_clear()
    with pytest.raises(ActionError, match="is not in the system's keyring") as failure:
        read_login(file)
    assert failure.value.code == "state"


def test_a_keyring_that_hangs_is_given_up(file, keyring, tmp_path, monkeypatch):
    os.mkfifo(keyring)  # nobody writes into it
    monkeypatch.setattr(sealed_files, "PATIENCE", 1.0)
    write_sealed(file, CONTENT)
    assert file.with_name(KEY_FILE).exists()
    assert read_login(file) == LOGIN


def test_a_file_stays_readable_when_a_keyring_is_set_up_later(file, keyring, monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    write_sealed(file, CONTENT)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.support.keyring_backend.FileKeyring")
    sealed_files._asked_keyring.cache_clear()
    assert read_login(file) == LOGIN
    write_sealed(file, CONTENT)
    assert file.read_bytes().startswith(b"strap sealed 1 keyring ")
    assert read_login(file) == LOGIN


def test_a_plain_file_is_read_once_and_rewritten(file):
    file.parent.mkdir()
    file.write_bytes(CONTENT)
    file.chmod(0o644)
    assert read_login(file) == LOGIN
    assert b"ada" not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_login(file) == LOGIN


def test_what_is_no_login_stays_as_it_is(file):
    file.parent.mkdir()
    file.write_bytes(b'{"cookies": 1}')
    assert read_login(file) is None
    assert file.read_bytes() == b'{"cookies": 1}'
    assert not file.with_name(KEY_FILE).exists()


def test_a_plain_file_that_changed_meanwhile_is_not_written_over(file):
    file.parent.mkdir()
    file.write_bytes(b"newer")
    write_sealed(file, CONTENT, instead_of=CONTENT)
    assert file.read_bytes() == b"newer"


def test_a_plain_file_in_a_folder_that_cannot_be_written_is_read(file):
    file.parent.mkdir()
    file.write_bytes(CONTENT)
    file.with_name(KEY_FILE).mkdir()  # root may write everywhere
    assert read_login(file) == LOGIN
    assert file.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[:-1],
        lambda content: content[:60],
        lambda content: content[:45],
        lambda content: content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
        lambda content: content.replace(b"sealed 1", b"sealed 9"),
        lambda content: b"strap sealed ",
        lambda content: content + b"x",
    ],
)
def test_a_damaged_file_is_one_clear_error(file, spoil):
    write_sealed(file, CONTENT)
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(ActionError) as failure:
        read_login(file)
    assert failure.value.message == f"{str(file)!r} is damaged."
    assert failure.value.code == "state"
    write_sealed(file, CONTENT)
    assert read_login(file) == LOGIN


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "is not in"),
        (bytes(32), "is not in"),
        (b"short", "is not a key"),
        (b"", "is not a key"),
    ],
)
def test_a_wrong_key_is_one_clear_error(file, key, message):
    write_sealed(file, CONTENT)
    kept = file.with_name(KEY_FILE)
    if key is None:
        kept.unlink()
    else:
        kept.write_bytes(key)
    with pytest.raises(ActionError, match=message) as failure:
        read_login(file)
    assert failure.value.code == "state"
    assert str(kept) in failure.value.message
    if message == "is not a key":
        with pytest.raises(ActionError, match=message):  # it may be the key of other files
            write_sealed(file, CONTENT)
        detail, works, fix = protection(file.parent)
        assert (works, fix) == (False, failure.value.hint)
        assert message in detail


def test_processes_at_a_time_make_one_key(file):
    script = (
        "import sys; from pathlib import Path; from strap.credentials.sealed_files import *;"
        "write_sealed(Path(sys.argv[1]), sys.argv[1].encode())"
    )
    files = [file.with_name(f"state-{number}.json") for number in range(4)]
    started = [subprocess.Popen([sys.executable, "-c", script, str(each)]) for each in files]
    assert [process.wait(60) for process in started] == [0] * 4
    assert [opened(each, each.read_bytes()) for each in files] == [
        str(each).encode() for each in files
    ]


def test_without_cryptography_files_are_plain_and_doctor_says_so(file, tmp_path, monkeypatch):
    write_sealed(file, CONTENT)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    for act in (lambda: read_login(file), lambda: write_sealed(file, CONTENT)):
        with pytest.raises(ActionError, match="is encrypted, and 'cryptography' is not") as failure:
            act()
        assert "strap-web[oauth]" in failure.value.hint
    other = file.with_name("other.json")
    write_sealed(other, CONTENT)
    assert other.read_bytes() == CONTENT
    assert other.stat().st_mode & 0o777 == 0o600
    assert read_login(other) == LOGIN
    line = diagnose(Config(home=tmp_path, outputs=tmp_path))
    assert (line.subject, line.ok) == ("saved logins", True)
    assert line.detail == "not encrypted: only you can read the files"
    assert "strap-web[oauth]" in line.fix


def test_doctor_counts_plain_files(file, tmp_path):
    line = diagnose(Config(home=tmp_path, outputs=tmp_path))
    place = file.parent / KEY_FILE
    assert line.detail == f"the next one will be encrypted, with a new key in {place}"
    assert not file.parent.exists()
    write_sealed(file, CONTENT)
    line = diagnose(Config(home=tmp_path, outputs=tmp_path))
    assert line.detail == f"encrypted, with the key in {place}"
    file.with_name("old.json").write_bytes(CONTENT)
    line = diagnose(Config(home=tmp_path, outputs=tmp_path))
    assert line.detail.endswith("; 1 still plain: each is encrypted when it is used")
    assert (line.ok, line.fix) == (True, "")
