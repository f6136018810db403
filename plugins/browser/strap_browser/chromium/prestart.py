"""How the browser of the default profile is started early, while everything else is imported."""

import os

from strap import ActionError, Environment, Prestart
from strap_browser.chromium.command_line import (
    command_line,
    environment,
    executable_of,
    may_use_sandbox,
)
from strap_browser.chromium.profile_directory import ProfileDirectory
from strap_browser.proxy.control import ProxyControl
from strap_browser.settings.browser import DEFAULT_PROFILE, BrowserSettings

UNKNOWN = ProxyControl(port=0, token="")
"""Stands for the proxy of a browser that is not started."""


def declare(env: Environment) -> Prestart | None:
    """Return how `launch` starts the browser, None where it is not to be started early."""
    everyone: BrowserSettings = env.settings
    profile = everyone.profiles[DEFAULT_PROFILE]
    if profile.driver != "nebo" or os.name == "nt":
        return None
    settings = everyone.of(profile)
    try:
        executable = executable_of(settings)
    except ActionError:
        return None  # whoever launches it says so
    data = ProfileDirectory(env.config.home / "profiles" / DEFAULT_PROFILE).data
    sandbox = may_use_sandbox(settings)
    command = command_line(executable, data, settings.port, settings, sandbox=sandbox, gate=UNKNOWN)
    arguments = {
        "command": command,
        "environ": environment(settings, data),
        "data": str(data),
        "profile": DEFAULT_PROFILE,
        "port": settings.port,
    }
    return Prestart(
        starter="strap_browser.chromium.spawn:start_browser",
        arguments=arguments,
        actions=("launch",),
    )
