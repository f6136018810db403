"""Label Studio: projects, uploads, hot keys, boxes on a canvas; judged by its database and API."""

import base64
import json
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.of_apps.application import Application, Task
from benchmarks.of_apps.debian import restore
from benchmarks.peers import pip

USER, PASSWORD, TOKEN = "bench@shop.example", "bench-spade-7", "benchmark0123456789"
CHOICES = """<View>
  <Text name="text" value="$text"/>
  <Choices name="mood" toName="text">
    <Choice value="Good"/>
    <Choice value="Bad"/>
  </Choices>
</View>"""
BOXES = """<View>
  <Image name="image" value="$image"/>
  <RectangleLabels name="box" toName="image">
    <Label value="Spade"/>
    <Label value="Rake"/>
  </RectangleLabels>
</View>"""
REVIEWS = ("Sturdy.", "It broke.", "It bends.", "Light, and sharp.", "Too short.")
ROWS = "text\n" + "".join(f'"{review}"\n' for review in REVIEWS)


def _picture(width: int, height: int) -> bytes:
    rows = (b"\0" + b"\x20\x80\x30" * width) * height
    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", size), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


SHOWN = "data:image/png;base64," + base64.b64encode(_picture(600, 400)).decode()
PROJECTS: Mapping[str, tuple[str, list[dict[str, str]]]] = {
    "Moods": (CHOICES, [{"text": review} for review in REVIEWS]),
    "Boxes": (BOXES, [{"image": SHOWN}]),
    "Empty": (CHOICES, []),
}


class LabelStudio(Application):
    name = "Label Studio"
    version = "1.23.0"
    entry = f"""
        navigate url={{base}}/user/login/
        fill selector='#email' value={USER}
        fill selector='#password' value={PASSWORD}
        click ref='button "Log In"'
        wait text='get you started'
    """
    environ: ClassVar[Mapping[str, str]] = {
        "DJANGO_DB": "sqlite",
        # These would ask servers elsewhere.
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
    }
    uploads: ClassVar[Mapping[str, bytes]] = {"reviews.csv": ROWS.encode()}

    def install(self) -> None:
        self.place = pip("label-studio", f"label-studio=={self.version}")

    def boot(self) -> None:
        environ = {**self.environ, "LABEL_STUDIO_BASE_DATA_DIR": str(self.data)}
        self.data.mkdir()
        migrated = self.place / "migrated.sqlite3"
        if not migrated.is_file():  # this takes minutes
            [site] = self.place.glob("lib/python3*/site-packages")
            manage = site / "label_studio" / "manage.py"
            self.do(self.place / "bin" / "python", manage, "migrate", timeout=900, **environ)
            shutil.copy(self.rows_file, migrated)
        shutil.copy(migrated, self.rows_file)
        self.spawn(
            *(self.place / "bin" / "label-studio", "start", "--no-browser"),
            *("--internal-host", "127.0.0.1", "--port", str(self.port)),
            *("--data-dir", self.data, "--username", USER, "--password", PASSWORD),
            *("--user-token", TOKEN, "--enable-legacy-api-token"),
            **environ,
        )
        self.wait()
        for title, (config, tasks) in PROJECTS.items():
            project = self.ask("projects", {"title": title, "label_config": config})
            if tasks:
                self.ask(f"projects/{project['id']}/import", tasks)
        restore(self.seeded, self.rows_file)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def rows_file(self) -> Path:
        return self.data / "label_studio.sqlite3"

    @property
    def seeded(self) -> Path:
        return self.folder / "seeded.sqlite3"

    def answers(self) -> bool:
        return b"Log In" in self.fetch("/user/login/")

    def ask(self, what: str, data: Any = None) -> Any:
        token = f"Token {TOKEN}"
        return json.loads(self.fetch(f"/api/{what}", data, Authorization=token) or b"{}")

    def reset(self) -> None:
        restore(self.rows_file, self.seeded)
        for file in self.exports():
            file.unlink()

    def values(self) -> Mapping[str, str]:
        ids = {row["title"].lower(): str(row["id"]) for row in self.rows("select * from project")}
        return {"base": self.base, "config": CONFIG, **ids}

    def rows(self, query: str) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(self.rows_file)) as base:
            base.row_factory = sqlite3.Row
            return [dict(row) for row in base.execute(query)]

    def results(self) -> list[list[dict[str, Any]]]:
        """Return what each annotation says, in the order of the tasks."""
        rows = self.rows("select result from task_completion order by task_id")
        return [json.loads(row["result"]) for row in rows]

    def exports(self) -> list[Path]:
        return [*(self.data / "export").iterdir()]


def _created(app: LabelStudio) -> str:
    rows = app.rows(
        "select label_config config from project where title = 'Tools' and not is_draft"
    )
    return "" if [row["config"] for row in rows] == [CONFIG] else f"projects: {rows}"


def _imported(app: LabelStudio) -> str:
    query = "select data from task join project p on p.id = project_id where title = 'Empty'"
    texts = [json.loads(row["data"]) for row in app.rows(query)]
    return "" if texts == PROJECTS["Moods"][1] else f"tasks: {texts}"


def _labelled(app: LabelStudio) -> str:
    moods = [result[0]["value"]["choices"] for result in app.results() if result]
    return "" if moods == [[mood] for mood in MOODS.values()] else f"moods: {moods}"


def _drawn(app: LabelStudio) -> str:
    values = [part["value"] for result in app.results() for part in result]
    fits = [value.get("rectanglelabels") for value in values] == [["Spade"]]
    return "" if fits and min(values[0]["width"], values[0]["height"]) > 5 else f"boxes: {values}"


def _label(app: LabelStudio) -> None:
    """Say of every text that it is good: only those with labels are exported."""
    value = {"value": {"choices": ["Good"]}, "type": "choices"}
    result = {**value, "from_name": "mood", "to_name": "text"}
    for row in app.rows("select id from task where data like '%text%'"):
        app.ask(f"tasks/{row['id']}/annotations", {"result": [result]})


def _exported(app: LabelStudio) -> str:
    found = [(json.loads(file.read_text()), "-info" in file.name) for file in app.exports()]
    rows = [
        (task["data"]["text"], len(task["annotations"]))
        for tasks, is_info in found
        for task in ([] if is_info else tasks)
    ]
    asked = [info["download"]["GET"].get("exportType") for info, is_info in found if is_info]
    fits = rows == [(review, 1) for review in REVIEWS] and asked == [["CSV"]]
    return "" if fits else f"exported as {asked}: {rows}"


CONFIG = '<View><Text name="text" value="$text"/><Rating name="stars" toName="text"/></View>'
MOODS = dict(zip(REVIEWS, ("Good", "Bad", "Bad", "Good", "Bad"), strict=True))
KEYS = "".join(
    f"""
            wait text='{review}'
            press key={1 if mood == "Good" else 2}
            press key=Control+Enter"""
    for review, mood in MOODS.items()
)
SUBMIT = """
            click ref='button "Submit current annotation"'
            wait text='Annotation saved successfully'
"""
LabelStudio.tasks = (
    Task(
        name="create a project with a labelling configuration",
        judge=_created,
        plan="""
            navigate url={base}/projects/
            click ref='button "Create new project"'
            fill ref='textbox "Project Name"' value=Tools
            click ref='listitem "Labeling Setup"'
            click ref='button "Create custom template"'
            fill selector='.CodeMirror textarea' value='{config}'
            click ref='button "Save"'
        """,
    ),
    Task(
        name="import a table",
        judge=_imported,
        plan="""
            navigate url={base}/projects/{empty}/data/import
            upload ref='button "Upload file"' paths='["reviews.csv"]'
            click ref='radio "List of tasks"'
            click ref='button "Finish import"'
        """,
    ),
    Task(
        name="label five texts by keyboard",
        judge=_labelled,
        plan=f"""
            navigate url={{base}}/projects/{{moods}}/data
            click ref='button "Label All Tasks"'
            {KEYS}
            wait text='No More Tasks Left'
        """,
    ),
    Task(
        name="draw a box",
        judge=_drawn,
        plan=f"""
            navigate url={{base}}/projects/{{boxes}}/data
            click ref='button "Label All Tasks"'
            click ref='clickable "Spade*"'
            drag selector='.konvajs-content' value='120,80'
            {SUBMIT}
        """,
    ),
    Task(
        name="export as CSV",
        prepare=_label,
        judge=_exported,
        plan="""
            navigate url={base}/projects/{moods}/data/export
            click ref='clickable "CSV*"'
            click ref='button "Export data"'
        """,
    ),
)
