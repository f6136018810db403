"""Files of `deploy/`, as far as they are checked without containers: forms, options, limits."""

import ipaddress
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

import pytest
import yaml
from jsonschema import Draft7Validator

from strap.cli.commands.serve import command as serve
from strap.config import load
from strap.errors import PolicyDenied
from strap.mcp.http.serve_settings import read
from strap.network import Guard
from strap.routing.assembly import make_router

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
HOUSE = DEPLOY.parent
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))


def loaded(path):
    return yaml.safe_load(path.read_text())


def instructions():
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


def of_image(name):
    return [rest for word, rest in instructions() if word == name]


def environment_of_image(**arguments):
    """The variables of an image that is built with these arguments."""
    given = dict(rest.split("=", 1) for rest in of_image("ARG")) | arguments
    lines = (Template(line).substitute(given) for line in of_image("ENV"))
    return dict(word.split("=", 1) for line in lines for word in shlex.split(line))


def options(arguments, environ=None):
    """Return the options of `strap serve` arguments; the command itself refuses unknown ones."""
    assert arguments[0] == "serve"
    context = serve.make_context("serve", [*map(str, arguments[1:])])
    return context.params


def settings(tmp_path, environ):
    """The settings that the server and the plugins make of an environment."""
    config = load(environ=environ, directory=tmp_path, home=tmp_path)
    return read(config), make_router(config).catalog.settings["browser"]


@pytest.fixture
def pod():
    return loaded(DEPLOY / "kubernetes" / "statefulset.yaml")["spec"]["template"]["spec"]


@pytest.mark.parametrize("browser", ["chromium", "chromium-headless-shell"])
def test_the_image_has_the_browser_that_is_looked_for(tmp_path, browser):
    assert any(re.search(r"install .*\$BROWSER ", line) for line in of_image("RUN"))
    environ = {k: v for k, v in environment_of_image(BROWSER=browser).items() if "BROWSER" in k}
    assert settings(tmp_path, environ)[1].channel == browser
    assert environment_of_image()["STRAP_BROWSER__CHANNEL"] == "chromium"


def test_the_image_is_nobodys_and_keeps_the_sandbox(tmp_path):
    assert of_image("USER") == ["10001"]
    assert json.loads(of_image("ENTRYPOINT")[0]) == ["tini", "--", "strap"]
    assert options(json.loads(of_image("CMD")[0]))["http"]
    environ = {k: v for k, v in environment_of_image().items() if k.startswith("STRAP_")}
    _, browser = settings(tmp_path, environ | {"STRAP_HOME": str(tmp_path)})
    assert (browser.sandbox, browser.auto_launch) == (True, True)
    probe = json.loads(of_image("HEALTHCHECK")[0].split("CMD", 1)[1])
    compile(probe[2], "probe", "exec")
    copied = {word for line in of_image("COPY") for word in line.split()[:-1]}
    ignored = (HOUSE / ".dockerignore").read_text()
    for name in copied:
        assert (HOUSE / name).exists()
        assert f"!{name}\n" in ignored


def test_compose(tmp_path):
    (service,) = loaded(DEPLOY / "compose.yaml")["services"].values()
    given = options(service["command"])
    assert float(service["stop_grace_period"].removesuffix("s")) >= given["drain"] + 5
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert all(each.startswith("127.0.0.1:") for each in service["ports"])
    environ = {k: str(v) for k, v in service["environment"].items() if k != "STRAP_TOKEN"}
    _, browser = settings(tmp_path, environ)
    assert 0 < browser.max_memory_mb < 4096


def test_the_pod(pod, tmp_path):
    (container,) = pod["containers"]
    arguments = [each.replace("$(POD_NAME)", "strap-0") for each in container["args"]]
    given = options(arguments)
    assert pod["terminationGracePeriodSeconds"] >= given["drain"] + 15
    environ = {each["name"]: each["value"] for each in container["env"] if "value" in each}
    served, _ = settings(tmp_path, environ | {"STRAP_SERVE__REPLICA": given["replica"]})
    assert (served.replica, served.metrics_host) == ("strap-0", "0.0.0.0")
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert ports == {"http": given["port"], "metrics": given["metrics"]}
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not container["securityContext"]["allowPrivilegeEscalation"]
    claims = loaded(DEPLOY / "kubernetes" / "statefulset.yaml")["spec"]["volumeClaimTemplates"]
    volumes = {each["name"] for each in pod["volumes"]} | {c["metadata"]["name"] for c in claims}
    assert {each["name"] for each in container["volumeMounts"]} == volumes
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["path"] in ("/healthz", "/readyz")


def test_the_network_policy_denies_what_the_guard_denies():
    policy = loaded(DEPLOY / "kubernetes" / "network.yaml")["spec"]
    blocks = [to["ipBlock"] for rule in policy["egress"] for to in rule["to"] if "ipBlock" in to]
    guard = Guard("public")
    for address in (
        *("169.254.169.254", "10.0.0.1", "172.31.0.1", "192.168.1.1", "100.100.100.200"),
        *("127.0.0.1", "0.0.0.0", "::1", "fd00:ec2::254", "fe80::1"),
    ):
        with pytest.raises(PolicyDenied):
            guard.check_url(f"http://{f'[{address}]' if ':' in address else address}/")
        assert not any(lets(block, address) for block in blocks), address
    assert any(lets(block, "93.184.216.34") for block in blocks)


def lets(block, address):
    address = ipaddress.ip_address(address)
    excepted = [ipaddress.ip_network(each) for each in block["except"]]
    return address in ipaddress.ip_network(block["cidr"]) and not any(
        address in each for each in excepted if each.version == address.version
    )


def test_manifests_are_of_their_kinds_and_select_each_other():
    resources = loaded(DEPLOY / "kubernetes" / "kustomization.yaml")["resources"]
    others = {"kustomization.yaml", "rayjob.yaml"}
    assert {path.name for path in MANIFESTS} == {*resources, *others}
    for path in MANIFESTS:
        assert {"apiVersion", "kind"} <= loaded(path).keys(), path
    assert "strap batch run" in loaded(DEPLOY / "kubernetes" / "rayjob.yaml")["spec"]["entrypoint"]


def problems(manifest):
    """Return the objections of Kubernetes' own schemas to a manifest."""
    known = json.loads((HOUSE / "tests" / "data" / "kubernetes" / "schemas.json").read_text())
    schema = {**known["kinds"][manifest["kind"]], "definitions": known["definitions"]}
    return [each.message for each in Draft7Validator(schema).iter_errors(manifest)]


OF_KUBERNETES = [p for p in MANIFESTS if p.name not in ("kustomization.yaml", "rayjob.yaml")]


@pytest.mark.parametrize("path", OF_KUBERNETES, ids=lambda path: path.name)
def test_manifests_are_what_the_api_takes(path):
    manifest = loaded(path)
    assert not problems(manifest)
    assert problems({**manifest, "spce": {}})
    assert problems({**manifest, "apiVersion": "v0"})


def test_a_field_that_is_misspelt_deep_inside_is_found(pod):
    manifest = loaded(DEPLOY / "kubernetes" / "statefulset.yaml")
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    container["livenessProbe"]["httpGt"] = container["livenessProbe"].pop("httpGet")
    assert problems(manifest)


def test_the_example_for_envoy_names_each_replica_and_says_that_it_was_not_run():
    text = (DEPLOY / "envoy.yaml").read_text()
    assert "NOT RUN" in text
    resources = yaml.safe_load(text)["static_resources"]
    clusters = {each["name"]: each["load_assignment"] for each in resources["clusters"]}
    (chain,) = resources["listeners"][0]["filter_chains"]
    settings = chain["filters"][0]["typed_config"]["route_config"]
    routes = settings["virtual_hosts"][0]["routes"]
    for route, letter in zip(routes, "abc", strict=False):
        (header,) = route["match"]["headers"]
        assert header["string_match"]["prefix"] == f"{letter}_"
        assert route["route"]["cluster"] == letter
        assert f"replica-{letter}" in str(clusters[letter])
    assert len(clusters["any"]["endpoints"][0]["lb_endpoints"]) == 3


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kustomize_builds_them():
    built = subprocess.run(
        ["kubectl", "kustomize", DEPLOY / "kubernetes"], check=True, capture_output=True
    )
    kinds = {each["kind"]: each for each in yaml.safe_load_all(built.stdout)}
    assert set(kinds) == {"StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy"}
    (container,) = kinds["StatefulSet"]["spec"]["template"]["spec"]["containers"]
    assert container["image"].startswith("registry.example/strap:")
    assert not any(map(problems, kinds.values()))


def test_the_seccomp_profile(tmp_path):
    default = tmp_path / "default.json"
    rule = {"names": ["read"], "action": "SCMP_ACT_ALLOW"}
    default.write_text(json.dumps({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [rule]}))
    command = [sys.executable, DEPLOY / "seccomp.py"]
    made = subprocess.run([*command, default], check=True, capture_output=True)
    profile = json.loads(made.stdout)
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    added, kept = profile["syscalls"]
    assert kept == rule
    assert set(added["names"]) == {"chroot", "clone", "setns", "unshare"}
    default.write_text("{}")
    refused = subprocess.run([*command, default], check=False, capture_output=True)
    assert b"no seccomp profile" in refused.stderr
