"""Hook implementations of the `http` resource."""

from collections.abc import Iterable

from strap import Action, Config, Converter, Diagnosis, Resource, hookimpl
from strap.api.action_lists import read_actions
from strap_http.resource import http
from strap_http.settings import HttpSettings


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """Return the resource `http`."""
    return (http,)


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """Return the actions of `http`."""
    return read_actions(__file__)


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
