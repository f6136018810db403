"""Hook implementations of the `http` resource."""

from collections.abc import Callable, Iterable
from typing import Any

from strap import Config, Converter, Diagnosis, Resource, hookimpl
from strap_http.crawl import crawl
from strap_http.extract import extract
from strap_http.fetch import fetch
from strap_http.map import map_
from strap_http.resource import http
from strap_http.settings import HttpSettings


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """Return the resource `http`."""
    return (http,)


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """Return the actions of `http`."""
    return (fetch, map_, crawl, extract)


@hookimpl
def strap_register_converters(config: Config) -> Iterable[Converter]:
    """Return what shows PDF files, documents and feeds."""
    from strap_http.converters import CONVERTERS

    return CONVERTERS


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Whom `http` trusts, its proxy and its cache."""
    from strap_http.doctor import diagnose

    return diagnose(config.settings("http", HttpSettings), config.home)
