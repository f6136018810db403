"""JupyterLab: notebooks, files, a terminal; judged by its files."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from benchmarks.of_apps.application import Application, Task
from benchmarks.peers import pip

TOKEN = "bench"
MEAN = "def mean(values):\n    return sum(values) / len(values)"
NOTEBOOKS = {
    "sums": ("a = 6", "b = 7", "print('product', a * b)"),
    "broken": (MEAN.replace("len(values)", "len(value)"), "print(mean([2, 4, 9]))"),
    "draft": ("x = 1",),
}


class JupyterLab(Application):
    name = "JupyterLab"
    version = "4.6.6"
    theme = "JupyterLab Dark"
    entry = f"navigate url='{{base}}/lab?token={TOKEN}&reset'\nwait text='Show Contextual Help'"

    def install(self) -> None:
        self.place = pip("jupyterlab", f"jupyterlab=={self.version}", "ipykernel")

    def boot(self) -> None:
        self.reset()
        self.spawn(
            *(self.place / "bin" / "python", "-m", "jupyterlab", "--no-browser"),
            *("--allow-root", "--ip=127.0.0.1", f"--port={self.port}", "--port-retries=0"),
            *(f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={self.work}"),
            "--LabApp.news_url=None",
            PATH=f"{self.place / 'bin'}:/usr/bin:/bin",
        )

    def answers(self) -> bool:
        return bool(self.ask("status"))

    def ask(self, what: str, method: str = "") -> bytes:
        return self.fetch(f"/api/{what}?token={TOKEN}", method=method)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def reset(self) -> None:
        for kind, key in (("sessions", "id"), ("terminals", "name")):
            for one in json.loads(self.ask(kind) or b"[]"):
                self.ask(f"{kind}/{one[key]}", "DELETE")
        self.work.mkdir(exist_ok=True)
        for old in self.work.iterdir():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        (self.work / "archive").mkdir()
        for name, sources in NOTEBOOKS.items():
            self.file(name).write_text(json.dumps(_notebook(sources)))

    def restyle(self) -> None:
        place = self.folder / ".jupyter/lab/user-settings/@jupyterlab/apputils-extension"
        place.mkdir(parents=True, exist_ok=True)
        (place / "themes.jupyterlab-settings").write_text(json.dumps({"theme": self.theme}))

    def values(self) -> Mapping[str, str]:
        return {"base": self.base, "work": str(self.work), "mean": MEAN}

    def file(self, name: str) -> Path:
        return self.work / f"{name}.ipynb"

    def cells(self, name: str) -> list[tuple[str, str]]:
        """Sources of a saved notebook's cells, and their output."""
        cells = json.loads(self.file(name).read_text())["cells"]
        return [
            (
                "".join(cell["source"]),
                "".join("".join(output.get("text", "")) for output in cell["outputs"]),
            )
            for cell in cells
        ]


def _notebook(sources: tuple[str, ...]) -> dict[str, object]:
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cells = [{**empty, "id": f"c{at}", "source": text} for at, text in enumerate(sources)]
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _ran(app: JupyterLab) -> str:
    cells = app.cells("sums")
    sources = tuple(source for source, _ in cells)
    fits = sources == NOTEBOOKS["sums"] and cells[-1][1] == "product 42\n"
    return "" if fits else f"saved: {cells}"


def _moved(app: JupyterLab) -> str:
    files = sorted(str(path.relative_to(app.work)) for path in app.work.rglob("*.ipynb"))
    fits = files == ["archive/mean.ipynb", "draft.ipynb", "sums.ipynb"]
    return "" if fits else f"files: {files}"


def _made(app: JupyterLab) -> str:
    file = app.work / "made.txt"
    text = file.read_text() if file.is_file() else "no file"
    return "" if text == "made 5\n" else f"made.txt: {text!r}"


def _mended(app: JupyterLab) -> str:
    cells = app.cells("broken")
    fits = cells == [(MEAN, ""), (NOTEBOOKS["broken"][1], "5.0\n")]
    return "" if fits else f"saved: {cells}"


def _saved(app: JupyterLab) -> str:
    cells = app.cells("draft")
    return "" if [source for source, _ in cells] == ["x = 2"] else f"saved: {cells}"


JupyterLab.tasks = (
    Task(
        name="run all, read the last value",
        judge=_ran,
        plan="""
            click ref='listitem "Name: sums.ipynb*"' value=double
            wait text='Ln 1, Col 1'
            click ref='menuitem "Run"'
            click ref='menuitem "Run All Cells"'
            wait text='product 42'
            press key=Control+s
        """,
    ),
    Task(
        name="rename, and move by drag",
        judge=_moved,
        plan="""
            click ref='listitem "Name: broken.ipynb*"' value=right
            click ref='menuitem "Rename F2"'
            fill ref='textbox in listitem "Name: broken.ipynb*"' value=mean.ipynb
            press key=Enter
            drag ref='listitem "Name: mean.ipynb*"' value='listitem "Name: archive*"'
        """,
    ),
    Task(
        name="terminal",
        judge=_made,
        plan="""
            click ref='button "Terminal"'
            wait text='Terminal 1'
            type ref='textbox "Terminal input"' text='echo made $((2+3)) > {work}/made.txt'
            press key=Enter
        """,
    ),
    Task(
        name="mend a failing cell",
        judge=_mended,
        plan="""
            click ref='listitem "Name: broken.ipynb*"' value=double
            wait text='Ln 1, Col 1'
            fill ref='textbox 1 of 2 in feed "Cells"' value='{mean}'
            click ref='menuitem "Run"'
            click ref='menuitem "Run All Cells"'
            wait text=5.0
            press key=Control+s
        """,
    ),
    Task(
        name="close with unsaved work",
        judge=_saved,
        plan="""
            click ref='listitem "Name: draft.ipynb*"' value=double
            wait text='Ln 1, Col 1'
            fill ref='textbox in feed "Cells"' value='x = 2'
            click ref='menuitem "File"'
            click ref='menuitem "Close Tab Alt+W"'
            click ref='button "Save"'
        """,
    ),
)
