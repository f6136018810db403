"""MediaWiki: wikitext, histories, uploads; judged by its database."""

import base64
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from benchmarks.of_apps.application import Task
from benchmarks.of_apps.debian import Packaged, restore

USER, PASSWORD = "Bench", "bench-spade-7"
SETTINGS = """
$wgServer = WebRequest::detectServer();
$wgEnableUploads = true;
$wgUploadDirectory = '{folder}/site/images';
$wgUploadPath = '/images';
$wgUseImageMagick = false;
$wgParserCacheType = CACHE_NONE;
"""
TOOLS = """Tools for a garden.

== Care ==
Wash them.

== Storage ==
Keep them dry.
"""
TEXTS = {
    "Tools": TOOLS,
    "Rake": "A rake has teeth.",
    "Barrow": "A barrow has one wheel and carries 80 kg.",
}
VANDAL = {"Barrow": "A barrow is stupid."}


CARE = "== Care ==\nOil them."
SHOWN = f"{TEXTS['Rake']}\n[[File:Spade.png]]"
MERGED = "A rake has ten teeth, and a handle."
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class MediaWiki(Packaged):
    name = "MediaWiki"
    version = "1.39.17"
    packages = ("mediawiki", "php8.2-sqlite3", "php8.2-gd")
    extensions = (
        *("ctype", "dom", "fileinfo", "gd", "iconv", "intl", "mbstring", "pdo", "pdo_sqlite"),
        *("simplexml", "tokenizer", "xml", "xmlreader"),
    )
    entry = f"""
        navigate url={{base}}/index.php/Special:UserLogin
        fill ref='textbox "Username"' value={USER}
        fill ref='textbox "Password"' value={PASSWORD}
        click ref='button "Log in"'
        wait text='Log out'
    """
    uploads: ClassVar[Mapping[str, bytes]] = {"Spade.png": PICTURE}

    def boot(self) -> None:
        code, site = self.tree / "usr/share/mediawiki", self.folder / "site"
        (site / "images").mkdir(parents=True)
        for entry in code.iterdir():
            if entry.name not in ("images", "LocalSettings.php"):
                (site / entry.name).symlink_to(entry)
        self.maintain(
            "install",
            *("--dbtype", "sqlite", "--dbpath", self.folder / "data", "--dbname", "wiki"),
            *("--server", self.base, "--scriptpath", "", "--confpath", self.folder),
            *("--skins", "Vector", "--extensions", "Cite", "--pass", PASSWORD, "Garden", USER),
        )
        settings = self.folder / "LocalSettings.php"
        with settings.open("a") as file:
            file.write(SETTINGS.replace("{folder}", str(self.folder)))
        self.environ = {"MW_CONFIG_FILE": str(settings)}
        for user, texts in ((USER, TEXTS), ("Vandal", VANDAL)):
            self.add(user, texts)
        restore(self.folder / "seeded.sqlite", self.data)
        self.serve(site)

    def add(self, user: str, texts: Mapping[str, str]) -> None:
        """Save pages in the name of a user."""
        pages = self.folder / user
        pages.mkdir()
        for title, text in texts.items():
            (pages / title).write_text(text)
        self.maintain("importTextFiles", "--user", user, "--overwrite", *pages.iterdir())

    def maintain(self, script: str, *words: str | Path) -> None:
        self.run(self.tree / "usr/share/mediawiki/maintenance" / f"{script}.php", *words)

    @property
    def data(self) -> Path:
        return self.folder / "data" / "wiki.sqlite"

    def answers(self) -> bool:
        return b"Garden</title>" in self.fetch("/index.php/Special:Version")

    def reset(self) -> None:
        shutil.rmtree(self.folder / "site/images")
        (self.folder / "site/images").mkdir()
        restore(self.data, self.folder / "seeded.sqlite")

    def values(self) -> Mapping[str, str]:
        # Under another name of the machine nobody is logged in.
        other = self.base.replace("127.0.0.1", "localhost")
        texts = {"care": CARE, "shown": SHOWN, "merged": MERGED}
        return {"base": self.base, "other": other, **texts}

    def text(self, title: str) -> str:
        """Return the newest text of a page, "" where there is none."""
        query = "action=query&prop=revisions&rvprop=content&rvslots=main&formatversion=2"
        answer = json.loads(self.fetch(f"/api.php?{query}&format=json&titles={quote(title)}"))
        [page] = answer["query"]["pages"]
        return str(page["revisions"][0]["slots"]["main"]["content"]) if "revisions" in page else ""

    def wrong(self, title: str, wanted: str) -> str:
        """Return what is wrong with the text of a page."""
        text = self.text(title)
        return "" if text == wanted else f"{title}: {text!r}"


def _edited(app: MediaWiki) -> str:
    return app.wrong("Tools", TOOLS.replace("Wash them.", "Oil them.").strip())


def _reverted(app: MediaWiki) -> str:
    return app.wrong("Barrow", TEXTS["Barrow"])


def _uploaded(app: MediaWiki) -> str:
    files = [file.read_bytes() for file in (app.folder / "site/images").glob("?/??/Spade.png")]
    wrong = app.wrong("Rake", SHOWN)
    return wrong or ("" if files == [PICTURE] else f"{len(files)} files")


def _redirected(app: MediaWiki) -> str:
    moved = app.wrong("Wheelbarrow", VANDAL["Barrow"])
    return moved or app.wrong("Barrow", "#REDIRECT [[Wheelbarrow]]")


def _merged(app: MediaWiki) -> str:
    return app.wrong("Rake", MERGED)


SAVE = """
            click ref='button "Save changes"'
            wait text='Your edit was saved'
"""
FIELD = 'textbox "Wikitext source editor"'
MediaWiki.tasks = (
    Task(
        name="edit a section",
        judge=_edited,
        plan=f"""
            navigate url={{base}}/index.php/Tools
            click ref='link "edit" 1 of 2'
            fill ref='{FIELD}' value='{{care}}'
            {SAVE}
        """,
    ),
    Task(
        name="revert a vandal by the history",
        judge=_reverted,
        plan="""
            navigate url={base}/index.php/Barrow
            click ref='link "View history"'
            click ref='link "rollback 1 edit"'
            wait text='Reverted edits by'
        """,
    ),
    Task(
        name="upload a file, use it in a page",
        judge=_uploaded,
        plan=f"""
            navigate url={{base}}/index.php/Special:Upload
            upload ref='button "Source filename:"' paths='["Spade.png"]'
            click ref='button "Upload file"'
            wait text='File history'
            navigate url={{base}}/index.php/Rake
            click ref='link "Edit"'
            fill ref='{FIELD}' value='{{shown}}'
            {SAVE}
        """,
    ),
    Task(
        name="rename a page, leave a redirect",
        judge=_redirected,
        plan="""
            navigate url={base}/index.php/Special:MovePage/Barrow
            fill selector='[name=wpNewTitleMain]' value=Wheelbarrow
            click ref='button "Move page"'
            wait text='has been moved'
        """,
    ),
    Task(
        name="resolve an edit conflict",
        judge=_merged,
        plan=f"""
            navigate url='{{base}}/index.php?title=Rake&action=edit'
            new_page url='{{other}}/index.php?title=Rake&action=edit'
            fill ref='{FIELD}' value='A rake has ten teeth.'
            click ref='button "Save changes"'
            wait text='has ten teeth'
            fill target_id=t1 ref='{FIELD}' value='A rake has teeth, and a handle.'
            click ref='button "Save changes"'
            wait text='Someone else has changed this page'
            fill ref='{FIELD}' value='{{merged}}'
            {SAVE}
        """,
    ),
)
