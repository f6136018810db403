"""Certificate authorities: the system's, else Mozilla's, and those of the configuration."""

import ssl
from types import SimpleNamespace

import certifi
import httpx2
import pytest

from strap import StartupError
from strap.config import load
from strap_http.plugin import strap_diagnose
from strap_http.settings import HttpSettings
from strap_http.transport.certificates import ssl_context
from strap_search.settings import SearchSettings
from tests.site.certificates import Authority


def authorities(context):
    return {certificate["serialNumber"] for certificate in context.get_ca_certs()}


@pytest.fixture
def bare_system(tmp_path, monkeypatch):
    """A system without certificate authorities."""
    nothing = SimpleNamespace(openssl_cafile=str(tmp_path / "no"), openssl_capath=str(tmp_path))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nothing)
    empty = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(httpx2, "create_ssl_context", lambda **_: empty)


def test_an_empty_system_falls_back(bare_system):
    context = ssl_context(None)
    expected = ssl.create_default_context(cafile=certifi.where())
    assert authorities(context) == authorities(expected)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_whom_the_system_trusts_not_is_refused():
    context = ssl_context(None)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_folder_of_hashed_certificates_is_a_system(bare_system, tmp_path):
    (tmp_path / "0a1b2c3d.0").write_text("a certificate")
    assert authorities(ssl_context(None)) == set()


def test_the_operator_adds_authorities(tmp_path):
    before = authorities(ssl_context(None))
    context = ssl_context(Authority(tmp_path).file)
    assert len(authorities(context)) == len(before) + 1


@pytest.mark.parametrize("plugin", ["http", "search"])
@pytest.mark.parametrize("text", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_file_without_certificates_is_refused_at_the_start(tmp_path, plugin, text):
    (tmp_path / "ca.pem").write_text(text)
    settings = {"ca_file": str(tmp_path / "ca.pem")}
    config = load(environ={}, directory=tmp_path, home=tmp_path, plugins={plugin: settings})
    model = {"http": HttpSettings, "search": SearchSettings}[plugin]
    with pytest.raises(StartupError, match="a readable file with certificates in PEM"):
        config.settings(plugin, model)


def told(tmp_path, **settings):
    config = load(environ={}, directory=tmp_path, home=tmp_path, plugins={"http": settings})
    line, *_ = strap_diagnose(config)
    assert line.ok
    return line.detail


def test_the_doctor_says_who_is_trusted(tmp_path):
    assert told(tmp_path) == (
        f"trusts the system's authorities; cache of 105 MB in {tmp_path / 'cache' / 'http'}"
    )
    proxy = "socks5://me:hunter2@proxy.test:1080"
    assert told(tmp_path, proxy=proxy, cache_bytes=0) == (
        "trusts the system's authorities; through socks5://proxy.test:1080, which resolves names; "
        "no cache"
    )


def test_the_doctor_sees_an_empty_system(bare_system, tmp_path):
    assert told(tmp_path).startswith("trusts Mozilla's authorities (the system has none)")
