"""How the site is built: `make docs`."""

import re
import tomllib
from pathlib import Path
from typing import Any

_PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))

_HOMEPAGE = _PROJECT["project"]["urls"]["Homepage"]

project = "strap"
author = project_copyright = "The strap developers"
release = version = _PROJECT["project"]["version"]
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "html_image"]
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
html_theme = "furo"
html_title = f"strap {release}"
html_extra_path = ["llms.txt"]
html_static_path = ["static"]
html_css_files = ["copy.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_theme_options = {
    "source_repository": _HOMEPAGE,
    "source_branch": "main",
    "source_directory": "docs/",
}
highlight_language = "none"


def setup(app: Any) -> None:
    """Have links to what is beside the pages lead to where it is to be seen."""
    app.connect("source-read", _lead_outside)


def _lead_outside(_app: Any, page: str, source: list[str]) -> None:
    up = "../" * (page.count("/") + 1)
    source[0] = re.sub(rf"\]\({re.escape(up)}(?=\w)", f"]({_HOMEPAGE}/blob/main/", source[0])
