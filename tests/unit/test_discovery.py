"""Cache of the installed plugins from one start to the next, as long as they cannot change."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from strap import (
    atomic_files,  # noqa: F401 - before the path is another one
    prepared_answers,
)
from strap.routing.plugins import discovery
from strap.routing.plugins.discovery import SETTLED, discover

PLUGIN = "LOADED = True\n"


@pytest.fixture
def folder(tmp_path, monkeypatch, site):
    """The one folder that packages are imported from and `site` installs in."""
    packages = tmp_path / "packages"
    packages.mkdir()
    monkeypatch.setenv("STRAP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", [str(packages)])
    site.folder = packages
    return packages


@pytest.fixture
def installed(folder, site):
    """Install a plugin so long ago that nobody can be at it any more."""

    def install(name, **more):
        site(name, PLUGIN, **more)
        for file in folder.glob("*/entry_points.txt"):
            age(file)
        age(folder)

    return install


def age(folder):
    """Let the last change of a folder be a while ago, and be another one than before."""
    age.seconds = getattr(age, "seconds", 2 * SETTLED) + 1
    then = time.time() - age.seconds
    os.utime(folder, (then, then))


def kept():
    folder = Path(prepared_answers.folder())
    return list(folder.iterdir()) if folder.exists() else []


def names():
    return [each.name for each in discover()]


def test_it_is_kept_and_works_as_what_was_found(folder, installed):
    installed("one", entry="first")
    installed("two")
    found = discover()
    assert kept()
    (folder / "strap_one-1.0.dist-info" / "entry_points.txt").unlink()
    age(folder)
    # `discover` must read again, and finds one less.
    assert names() == ["two"]
    again = discover()
    assert [(each.name, each.distribution, each.value) for each in again] == [
        (each.name, each.distribution, each.value) for each in found[1:]
    ]
    assert again[0].load() is found[1].load()
    assert again[0].load().LOADED


def test_entry_points_that_are_written_anew_in_place_are_found(folder, installed):
    installed("one")
    assert names() == ["one"]
    told = folder / "strap_one-1.0.dist-info" / "entry_points.txt"
    for entry in ("other", "third"):
        told.write_text(f"[strap.plugins]\n{entry} = strap_one\n")  # which changes no folder
        age(told)
        assert names() == [entry]
    assert kept()


def test_nothing_is_kept_while_entry_points_are_written(folder, installed):
    installed("one")
    (folder / "strap_one-1.0.dist-info" / "entry_points.txt").touch()
    assert names() == ["one"]
    assert kept() == []


def test_a_package_that_is_developed_may_become_a_plugin(folder):
    metadata = folder / "one.egg-info"
    metadata.mkdir()
    (metadata / "PKG-INFO").write_text("Name: one\nVersion: 1.0\n")
    (folder / "one.py").write_text(PLUGIN)
    age(metadata)
    age(folder)
    assert names() == []
    (metadata / "entry_points.txt").write_text("[strap.plugins]\none = one\n")
    assert names() == ["one"]


def test_what_is_kept_needs_no_metadata(folder, installed, monkeypatch):
    installed("one")
    assert names() == ["one"]
    monkeypatch.setattr(discovery, "_looked_for", list)
    assert names() == ["one"]


def test_a_new_plugin_is_found(installed):
    installed("one")
    assert names() == ["one"]
    installed("two")
    assert names() == ["one", "two"]


def test_nothing_is_kept_while_somebody_may_be_installing(folder, site):
    site("one", PLUGIN)
    assert names() == ["one"]
    assert kept() == []


def test_nothing_is_kept_of_what_cannot_be_read(folder, installed, site):
    installed("one")
    site.write("broken", "[strap.plugins]\nno equals sign\n")
    age(folder)
    assert "one" in names()
    assert kept() == []


@pytest.mark.parametrize("value", ["strap_one [extra]", "strap one", ""])
def test_nothing_is_kept_of_entries_that_name_no_module_alone(folder, site, value):
    site.write("odd", f"[strap.plugins]\nodd = {value}\n")
    age(folder)
    discover()
    assert kept() == []


def test_what_was_changed_since_is_not_used(folder, installed):
    installed("one")
    assert names() == ["one"]
    (file,) = kept()
    checksum, digest, body = file.read_bytes().split(b"\n", 2)
    assert json.loads(body) == [["one", "strap-one", "strap_one"]]
    other = json.dumps([["evil", "strap-web", "os"]]).encode()
    file.write_bytes(b"\n".join((checksum, digest, other)))
    assert names() == ["one"]
