"""Catalogs of chosen plugins alone, apart from what is installed."""

from pathlib import Path

import pytest

from strap.config import Config
from strap.routing.builtin.help import help_actions
from strap.routing.catalog import build
from strap.routing.plugins.loader import Plugins
from strap.routing.policy import Policy


def make_catalog(*plugins):
    """The catalog of `plugins`, the first of which is called `browser`, as a built-in one."""
    config = Config(home=Path("unused"), outputs=Path("unused"))
    loaded = Plugins(config)
    for number, plugin in enumerate(plugins):
        loaded.give(f"foreign_{number}" if number else "browser", plugin)
    built = []

    def own(resources):
        return help_actions(resources, lambda: built[0])

    built.append(build(loaded, config, Policy(), own))
    return built[0]


@pytest.fixture
def catalog_of():
    return make_catalog
