"""How the site is built: `make docs`."""

import tomllib
from pathlib import Path

_PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))

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
html_theme_options = {
    "source_repository": _PROJECT["project"]["urls"]["Homepage"],
    "source_branch": "main",
    "source_directory": "docs/",
}
highlight_language = "none"
