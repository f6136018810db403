"""Measure what strap and each of its extras take, and write the table of docs/install.md.

`python docs/sizes.py` installs each into an environment of its own, with the versions of
`constraints.txt`; it needs a package index, so no test runs it.
"""

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "install.md"
BEGIN, END = "<!-- sizes -->", "<!-- /sizes -->"
ADDS = {
    "": "core, `http`, `search`, and `browser` with Chrome, Chromium, Edge, any DevTools URL",
    "agent": "the browser agent: `eval` and its runs",
    "documents": "Word, Excel, PowerPoint, OpenDocument, EPUB and feeds in `http.fetch`",
    "extract": "the main content of pages; without it you get the whole page as plain Markdown",
    "oauth": "access tokens of OAuth issuers in `strap serve --http`; saved logins encrypted",
    "pdf": "the text of PDF files",
    "playwright": "Playwright servers, and its download of a browser",
    "ray": "batches on Ray; not in `all`",
    "table": "Parquet files in a batch",
    "telemetry": "Prometheus metrics of `strap serve --http`",
    "test": "test cases in Markdown; the agent is a separate extra",
    "video": "videos in `browser.record`",
}
"""Purpose of each extra, in the order of the table."""
SKIPPED = ("dev", "all")


def main() -> None:
    """Measure, and write the table."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = ["", *sorted(extras["optional-dependencies"].keys() - {*SKIPPED}), "all"]
    sizes = {name: measured(name) for name in names}
    lines = ["| install | adds | MB | packages |", "| --- | --- | --- | --- |"]
    for name, (size, packages) in sizes.items():
        written = f"strap-web[{name}]" if name else "strap-web"
        lines.append(
            f"| `{written}` | {ADDS.get(name, 'all but `ray`')} | {size:.0f} | {packages} |"
        )
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    table = "\n".join(lines)
    written = f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"
    PAGE.write_text(written, "utf-8")


def measured(extra: str) -> tuple[float, int]:
    """Return the megabytes and packages of strap with an extra; without pip, and not compiled."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder)
        target = f"{ROOT}[{extra}]" if extra else str(ROOT)
        pip = (sys.executable, "-m", "pip", "--python", f"{folder}/bin/python")
        options = ("-q", "--disable-pip-version-check", "--no-compile")
        constraints = ("-c", str(ROOT / "constraints.txt"))
        subprocess.run((*pip, "install", *options, *constraints, target), check=True)  # noqa: S603
        (packages,) = Path(folder).glob("lib/python*/site-packages")
        files = [path for path in packages.rglob("*") if path.is_file()]
        return sum(f.stat().st_size for f in files) / 1e6, len(list(packages.glob("*.dist-info")))


if __name__ == "__main__":
    main()
