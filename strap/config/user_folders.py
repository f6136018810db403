"""Folders of strap for a user."""

import sys
from pathlib import Path
from typing import Literal

from strap.prepared_answers import xdg_folder


def user_folder(kind: Literal["CONFIG", "DATA"]) -> Path:
    """Ask platformdirs, but on Linux, where every start would wait for what that imports."""
    if sys.platform == "linux" and (base := Path(xdg_folder(kind))).is_absolute():
        return base / "strap"
    import platformdirs

    find = platformdirs.user_data_dir if kind == "DATA" else platformdirs.user_config_dir
    return Path(find("strap", appauthor=False))
