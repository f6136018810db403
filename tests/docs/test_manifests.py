"""Manifests by which others know strap say what the project says."""

import base64
import json
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from manifests import NAME, PROJECT, SERVER, install_links, manifests  # noqa: E402

FILES = manifests()
spec = spec_from_file_location("release", ROOT / "deploy" / "release.py")
release = module_from_spec(spec)
spec.loader.exec_module(release)


@pytest.mark.parametrize("path", sorted(FILES))
def test_a_manifest_is_current(path):
    assert (ROOT / path).read_text("utf-8") == FILES[path], "run `make docs`"


def test_the_server_is_the_one_of_the_distribution():
    server = json.loads(FILES["server.json"])
    assert len(server["description"]) <= 100
    assert f"<!-- mcp-name: {NAME} -->" in FILES["README.md"]
    assert PROJECT["name"] in PROJECT["scripts"]


def test_each_link_has_the_server_in_it():
    links = {client: parse_qs(urlsplit(link).query) for client, link in install_links().items()}
    assert json.loads(links["VS Code"]["config"][0]) == SERVER
    for client in ("Cursor", "LM Studio"):
        assert json.loads(base64.b64decode(links[client]["config"][0])) == SERVER
    assert [*links["Goose"]["cmd"], *links["Goose"]["arg"]] == [SERVER["command"], *SERVER["args"]]


def test_every_python_that_is_claimed_is_tested():
    claimed = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    for name, job in (("test", "test"), ("release", "try")):
        workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text("utf-8"))
        assert workflow["jobs"][job]["strategy"]["matrix"]["python"] == claimed
    assert [f"python{version}" for version in claimed] == release.PYTHONS


@pytest.mark.parametrize("file", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda f: f.name)
def test_forms_and_workflows_are_yaml(file):
    read = yaml.safe_load(file.read_text("utf-8"))
    assert isinstance(read, dict)
