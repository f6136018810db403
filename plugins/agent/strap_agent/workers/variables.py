"""The environment variables of a worker."""

import os
from pathlib import Path

SWITCHES = {
    # Nothing calls home, and nothing is read from or written to the user's own directories.
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_DISABLE_EXTENSIONS": "1",
    "BROWSER_USE_SETUP_LOGGING": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    # Only the processes of macOS mind; ours have used nothing that forking would break.
    "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
    "PYTHON_DOTENV_DISABLED": "1",
    "SKIP_LLM_API_KEY_VERIFICATION": "true",
    # A page that hangs must not cost half a minute for each attempt.
    "TIMEOUT_NavigateToUrlEvent": "8",
}


def variables(folder: Path, *, apart: bool = False) -> dict[str, str]:
    """The variables of a worker: those of strap less its own, and its folders.

    One that is `apart`, in an environment of its own, imports nothing from elsewhere.
    """
    without = ("PYTHONHOME", "PYTHONPATH") if apart else ()
    inherited = {
        k: v for k, v in os.environ.items() if not k.startswith("STRAP_") and k not in without
    }
    places = {
        "BROWSER_USE_CONFIG_DIR": folder / "config",
        "TMPDIR": folder,
        "XDG_CACHE_HOME": folder / "cache",
        "XDG_CONFIG_HOME": folder / "config",
    }
    return inherited | SWITCHES | {name: str(path) for name, path in places.items()}
