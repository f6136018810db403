"""The cache of the handshake answers is used only when it is whole, own and fitting."""

import os
import sys
from pathlib import Path

import platformdirs
import pytest

from strap import prepared_answers
from strap.config.loading import default_home, user_file

CONTENT = {"basis": ["a"], "answers": {"ping": {"x": {}}}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STRAP_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["strap", "serve"])
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache" / "handshake"


@pytest.fixture
def file(folder):
    prepared_answers.store(CONTENT)
    assert prepared_answers.load() == CONTENT
    return next(folder.iterdir())


def test_nothing_is_kept_at_first(folder):
    assert prepared_answers.load() is None


def test_it_is_rewritten(file):
    prepared_answers.store({"basis": ["b"]})
    assert prepared_answers.load() == {"basis": ["b"]}
    assert list(file.parent.iterdir()) == [file]


def test_the_folders_are_for_the_user_alone(monkeypatch, tmp_path):
    home = tmp_path / "new" / "home"
    monkeypatch.setenv("STRAP_HOME", str(home))
    prepared_answers.store(CONTENT)
    made = [home.parent, home, home / "cache", home / "cache" / "handshake"]
    assert [each.stat().st_mode & 0o777 for each in made] == [0o700] * 4


@pytest.mark.parametrize("cut", [0, 10, 40, -1])
def test_a_torn_file_is_ignored(file, cut):
    file.write_bytes(file.read_bytes()[:cut])
    assert prepared_answers.load() is None


def test_a_changed_file_is_ignored(file):
    file.write_bytes(file.read_bytes().replace(b'"a"', b'"b"'))
    assert prepared_answers.load() is None


def test_a_file_that_others_may_write_is_ignored(file):
    file.chmod(0o620)
    assert prepared_answers.load() is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_a_file_of_somebody_else_is_ignored(file):
    os.chown(file, 12345, -1)
    assert prepared_answers.load() is None


def test_a_link_is_ignored(file):
    elsewhere = file.with_suffix(".real")
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert prepared_answers.load() is None


def test_a_pipe_does_not_block(file):
    file.unlink()
    os.mkfifo(file)
    assert prepared_answers.load() is None


def test_what_decides_the_answers_decides_the_file(file, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        patch.setenv("STRAP_DENY", "http.*")
        assert prepared_answers.load() is None
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", ["strap", "serve", "--deny", "http.*"])
        assert prepared_answers.load() is None
    assert prepared_answers.load() == CONTENT
    (tmp_path / "strap.toml").write_text('deny = ["http.*"]\n')
    assert prepared_answers.load() is None


def test_a_configuration_given_as_argument_counts(folder, monkeypatch, tmp_path):
    given = tmp_path / "other.toml"
    for arguments in (["--config", str(given)], [f"--config={given}"]):
        monkeypatch.setattr(sys, "argv", ["strap", "serve", *arguments])
        given.write_text("")
        prepared_answers.store(CONTENT)
        assert prepared_answers.load() == CONTENT
        given.write_text('deny = ["http.*"]\n')
        assert prepared_answers.load() is None


def test_an_installed_distribution_makes_it_stale(file, monkeypatch, tmp_path):
    packages = tmp_path / "site-packages"
    packages.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages)])
    prepared_answers.store(CONTENT)
    assert prepared_answers.load() == CONTENT
    (packages / "other-1.0.dist-info").mkdir()
    assert prepared_answers.load() is None


def test_credentials_are_not_written(folder, monkeypatch):
    monkeypatch.setenv("STRAP_TOKEN", "a-secret-token")
    monkeypatch.setattr(sys, "argv", ["strap", "serve", "--token", "another-secret"])
    prepared_answers.store(CONTENT)
    kept = next(folder.iterdir()).read_bytes()
    assert b"secret" not in kept


def test_old_files_make_room(folder, monkeypatch):
    for number in range(40):
        monkeypatch.setenv("STRAP_DENY", f"x.{number}")
        prepared_answers.store(CONTENT)
    assert len(list(folder.iterdir())) == 32
    assert prepared_answers.load() == CONTENT


@pytest.mark.parametrize("given", [None, "", "/some/where", "relative"])
def test_the_folders_are_those_of_platformdirs(given, monkeypatch):
    """They are spelt out because asking the library costs a tenth of the whole start."""
    monkeypatch.delenv("STRAP_HOME", raising=False)
    for kind in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.delenv(name := f"XDG_{kind}_HOME", raising=False)
        if given is not None:
            monkeypatch.setenv(name, given)
    data = platformdirs.user_data_dir("strap", appauthor=False)
    assert str(default_home()) == data
    cache = platformdirs.user_cache_dir("strap", appauthor=False)
    assert prepared_answers.folder() == str(Path(cache) / "handshake")
    config = platformdirs.user_config_dir("strap", appauthor=False)
    assert str(Path(config) / "strap.toml") in prepared_answers.configuration_files()
    assert user_file() == Path(config) / "strap.toml"
