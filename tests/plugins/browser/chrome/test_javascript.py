"""The extension's JavaScript: its style, and its parts without a browser."""

from pathlib import Path

from tests import node

ROOT = Path(__file__).parents[4]
BIOME = "@biomejs/biome"
VERSION = "2.6.8"


def test_style():
    command = node.installed(BIOME, VERSION, "bin/biome")
    done = node.run([*command, "check", "--error-on-warnings"], ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_parts():
    scripts = sorted(str(path) for path in (Path(__file__).parent / "js").glob("*.test.mjs"))
    assert scripts
    # The extension has no package.json, so Node finds out by itself that these are modules.
    options = ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test"]
    done = node.run([node.NODE, *options, *scripts], ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
