"""The recipe for Ray Data of docs/batch.md, as it stands there, and its class by itself."""

import os
import re
import subprocess
import sysconfig
import tempfile
import venv
from pathlib import Path

import pytest

from strap import UsageError
from strap.batch import Calls
from tests.site.server import serve

ROOT = Path(__file__).resolve().parents[2]
PAGES = {f"/{n}": f"<p>page {n}</p>" for n in range(20)}


@pytest.fixture
def site():
    with serve(PAGES) as site:
        yield site


def test_columns_become_columns(site, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    calls = Calls("http fetch url={url}", per_host=0, retries=0)
    try:
        found = calls({"id": ["a", "b"], "url": [f"{site}/1", "ftp://127.0.0.1/2"]})
        assert (found["key"], found["status"]) == (["a", "b"], ["ok", "failed"])
        assert "page 1" in found["text"][0]
        with pytest.raises(UsageError, match="no column 'url'"):
            calls({"id": ["a"]})
    finally:
        calls.close()
    assert [*tmp_path.iterdir()] == []


def recipe():
    text = (ROOT / "docs" / "batch.md").read_text()
    (found,) = (
        each for each in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "ray.data" in each
    )
    return found


@pytest.mark.soak
def test_the_recipe_runs_as_the_docs_show_it(site, tmp_path):
    with tempfile.TemporaryDirectory(prefix="r") as folder:  # short: paths of sockets are
        run_recipe(site, tmp_path, folder)


def run_recipe(site, tmp_path, folder):
    python = own_environment(tmp_path / "env")
    (tmp_path / "urls.csv").write_text("url\n" + "".join(f"{site}{path}\n" for path in PAGES))
    environ = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
    environ |= {"RAY_AUTH_TOKEN": "t" * 64, "HOME": str(tmp_path), "RAY_TMPDIR": folder}
    done = subprocess.run(
        [python, "-c", recipe()], cwd=tmp_path, env=environ, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(tmp_path / "results").to_pylist()
    assert sorted(row["url"] for row in rows) == sorted(f"{site}{path}" for path in PAGES)
    assert {row["status"] for row in rows} == {"ok"}


def own_environment(folder):
    """An environment that has what this one has, and what Ray Data needs beside."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    own = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    ).strip()
    path = sysconfig.get_path("purelib")
    Path(own, "this.pth").write_text(f"import site; site.addsitedir({path!r})\n")
    pip = (python, "-m", "pip", "install", "-q", "--disable-pip-version-check")
    subprocess.run((*pip, "ray[data]"), check=True)
    return python
