"""Wagtail: an editor of blocks, a tree of pages, images; judged by its database."""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.of_apps.application import Application, Task
from benchmarks.peers import pip

PASSWORD = "bench-spade-7"
MODELS = """
from wagtail.admin.panels import FieldPanel
from wagtail.blocks import CharBlock, RichTextBlock
from wagtail.fields import StreamField
from wagtail.models import Page


class HomePage(Page):
    blocks = [("heading", CharBlock()), ("paragraph", RichTextBlock())]
    body = StreamField(blocks, blank=True)
    content_panels = [*Page.content_panels, FieldPanel("body")]
"""
# These would ask servers elsewhere.
SETTINGS = """
WAGTAIL_GRAVATAR_PROVIDER_URL = None
WAGTAIL_ENABLE_UPDATE_CHECK = False
WAGTAIL_ENABLE_WHATS_NEW_BANNER = False
"""
SEED = f"""
import io
from django.contrib.auth import get_user_model
from django.core.files.images import ImageFile
from home.models import HomePage
from PIL import Image
from wagtail.images import get_image_model
from wagtail.users.models import UserProfile

user = get_user_model().objects.create_superuser("bench", "bench@example.com", "{PASSWORD}")
UserProfile.get_for_user(user).save()

def add(parent, title):
    page = parent.add_child(instance=HomePage(title=title, slug=title.lower()))
    page.save_revision(user=user, log_action=True).publish()
    return page

home = HomePage.objects.get(depth=2)
tools, garden = add(home, "Tools"), add(home, "Garden")
rake = add(tools, "Rake")
rake.title = "Rake, wrongly named"
rake.save_revision(user=user, log_action=True).publish()
data = io.BytesIO()
Image.new("RGB", (600, 400), "green").save(data, "PNG")
data.seek(0)
file = ImageFile(data, name="field.png")
get_image_model().objects.create(title="Field", file=file, uploaded_by_user=user)
"""
RESTYLE = "update wagtailusers_userprofile set theme = 'dark', density = 'snug', "
RESTYLE += "contrast = 'more_contrast'"
HOUR = "2031-05-04 10:00"


class Wagtail(Application):
    name = "Wagtail"
    version = "8.0"
    theme = "dark, snug, more contrast"
    entry = f"""
        navigate url={{base}}/admin/
        fill ref='textbox "Username*"' value=bench
        fill ref='textbox "Password*"' value={PASSWORD}
        click ref='button "Sign in"'
        wait text=Dashboard
    """

    def install(self) -> None:
        self.place = pip("wagtail", f"wagtail=={self.version}")

    def boot(self) -> None:
        site = self.folder / "site"
        site.mkdir()
        self.do(self.python, self.place / "bin" / "wagtail", "start", "shop", site)
        (site / "home" / "models.py").write_text(MODELS)
        (site / "shop" / "settings" / "local.py").write_text(SETTINGS)
        for words in (("makemigrations", "home"), ("migrate",), ("shell", "-c", SEED)):
            self.do(*self.manage(*words), timeout=400)
        shutil.copy(self.data, self.seeded)
        self.spawn(*self.manage("runserver", f"127.0.0.1:{self.port}", "--noreload"))

    @property
    def python(self) -> Path:
        return self.place / "bin" / "python"

    def manage(self, *words: str) -> tuple[Path | str, ...]:
        return (self.python, self.folder / "site" / "manage.py", *words)

    def answers(self) -> bool:
        return bool(self.fetch("/admin/login/"))

    def reset(self) -> None:
        shutil.copy(self.seeded, self.data)

    def restyle(self) -> None:
        with closing(sqlite3.connect(self.seeded)) as base:
            base.execute(RESTYLE)
            base.commit()

    @property
    def data(self) -> Path:
        return self.folder / "site" / "db.sqlite3"

    @property
    def seeded(self) -> Path:
        return self.folder / "seeded.sqlite3"

    def values(self) -> Mapping[str, str]:
        ids = {str(row["title"]).split(",")[0].lower(): str(row["id"]) for row in self.pages()}
        return {
            "base": self.base,
            "text": "Short\nLong",
            **{name: ids[name] for name in ("home", "tools", "rake")},
        }

    def rows(self, query: str) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(self.data)) as base:
            base.row_factory = sqlite3.Row
            return [dict(row) for row in base.execute(query)]

    def pages(self) -> list[dict[str, Any]]:
        return self.rows(
            "select p.id, p.title, p.path, p.live, h.body from wagtailcore_page p "
            "join home_homepage h on h.page_ptr_id = p.id order by p.path"
        )

    def page(self, title: str) -> dict[str, Any]:
        return next((page for page in self.pages() if page["title"] == title), {})


def _written(app: Wagtail) -> str:
    page = app.page("Spades")
    blocks = [(block["type"], block["value"]) for block in json.loads(page.get("body", "[]"))]
    text = blocks[1][1] if len(blocks) == 2 else ""
    fits = blocks[:1] == [("heading", "Which one")] and ">Short</p>" in text and ">Long</p>" in text
    return "" if fits and page["live"] else f"page: {page}"


def _scheduled(app: Wagtail) -> str:
    rows = app.rows("select approved_go_live_at at, object_str from wagtailcore_revision")
    found = [row for row in rows if row["at"]]
    fits = len(found) == 1 and found[0]["object_str"] == "Tools" and HOUR in found[0]["at"]
    return "" if fits else f"scheduled: {found}"


def _focused(app: Wagtail) -> str:
    query = "select title, focal_point_width width, focal_point_x x from wagtailimages_image"
    rows = app.rows(query)
    fits = [row["title"] for row in rows] == ["Field at noon"] and (rows[0]["width"] or 0) > 50
    return "" if fits else f"images: {rows}"


def _moved(app: Wagtail) -> str:
    garden, rake = app.page("Garden"), app.page("Rake, wrongly named")
    fits = rake["path"].startswith(garden["path"])
    return "" if fits else f"tree: {[(p['title'], p['path']) for p in app.pages()]}"


def _reverted(app: Wagtail) -> str:
    fits = app.page("Rake") and not app.page("Rake, wrongly named")
    return "" if fits else f"titles: {[page['title'] for page in app.pages()]}"


PUBLISH = """
            click ref='button "More actions"'
            click ref='button "Publish"'
"""
Wagtail.tasks = (
    Task(
        name="write a page of blocks, publish it",
        judge=_written,
        plan=f"""
            navigate url={{base}}/admin/pages/add/home/homepage/{{home}}/
            fill ref='textbox "Title*"' value=Spades
            click ref='button "Insert a block"'
            click ref='option "Heading"'
            fill ref='textbox in region "Heading *"' value='Which one'
            click ref='button "Insert a block" 2 of 2'
            click ref='option "Paragraph"'
            fill ref='textbox in region "Paragraph *"' value='{{text}}'
            {PUBLISH}
        """,
    ),
    Task(
        name="schedule a page",
        judge=_scheduled,
        plan=f"""
            navigate url={{base}}/admin/pages/{{tools}}/edit/
            click ref='button "Toggle status"'
            click ref='button "Set schedule"'
            fill ref='textbox "Go live date/time"' value='{HOUR}'
            press key=Tab
            click ref='button "Save schedule"'
            click ref='button "More actions"'
            click ref='button "Schedule to publish"'
        """,
    ),
    Task(
        name="name an image, mark what must not be cropped",
        judge=_focused,
        plan="""
            navigate url={base}/admin/images/1/
            fill ref='textbox "Title*"' value='Field at noon'
            drag selector='.focal-point-chooser' value='80,60'
            click ref='button "Save"'
        """,
    ),
    Task(
        name="move a page in the tree",
        judge=_moved,
        plan="""
            navigate url={base}/admin/pages/{rake}/move/
            click ref='button "Actions"'
            click ref='button "Choose another page"'
            click ref='link "Garden"'
            click ref='button "Confirm"'
            click ref='button "Yes, move this page"'
        """,
    ),
    Task(
        name="compare revisions, bring one back",
        judge=_reverted,
        plan="""
            navigate url={base}/admin/pages/{rake}/edit/
            click ref='link "History"'
            click ref='button "Actions" 2 of 2'
            click ref='link "Review this version"'
            click ref='button "More actions"'
            click ref='button "Publish this version"'
        """,
    ),
)
