"""Catalogs of chosen plugins alone, apart from what is installed."""

from pathlib import Path

import pytest

from strap.builtin.help import help_actions
from strap.catalog import build
from strap.config import Config
from strap.plugins import Plugins
from strap.policy import Policy


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
