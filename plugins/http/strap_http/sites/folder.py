"""A crawl on disk: a Markdown file for each page, an index, and how far it came."""

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from strap import ActionError, Outputs
from strap.atomic_files import make_private
from strap_http.sites.addresses import Scope
from strap_http.sites.frontier import Crawl
from strap_http.sites.visits import Page

INDEX, STATE = "index.md", "crawl.json"
_START = "start"
"""The file of a page whose address has no name of its own."""
_LONGEST, _DEEPEST = 80, 6
"""Characters of a part of a name, and parts that become folders."""
_UNFIT = re.compile(r"[^\w.-]+")
_MARKDOWN = re.compile(r"([\\\[\]])")


class Folder:
    """The folder that `output` names, inside the one that files may be written to."""

    def __init__(self, outputs: Outputs, output: str) -> None:
        """Raises `UsageError` for what cannot be a folder in there."""
        self._outputs = outputs
        self._output = output.rstrip("/")
        self.path = outputs.resolve_folder(output)

    @contextmanager
    def held(self, *, is_new: bool) -> Iterator[None]:
        """Lock the folder; raises `ActionError` ("output") if another crawl has it."""
        missing = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        if is_new:
            self._make()
        lock = _lock(self.path)
        try:
            if is_new:
                self._check_new()
            yield
        finally:
            if self.path in missing and self.is_empty:
                shutil.rmtree(self.path, ignore_errors=True)
                for above in missing[1:]:
                    with suppress(OSError):
                        above.rmdir()
            if lock is not None:
                os.close(lock)

    def _make(self) -> None:
        try:
            make_private(self._outputs.folder)
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            pass  # it is told what is there
        except OSError as error:
            raise ActionError(
                f"Cannot make {str(self.path)!r}: {error.strerror}.", code="output"
            ) from None

    def _check_new(self) -> None:
        """Raise `ActionError` (code "output") where something is already."""
        if not self.is_empty:
            has_crawl = (self.path / STATE).is_file()
            on = "; or give start to go on with the crawl in it" if has_crawl else ""
            raise ActionError(
                f"{str(self.path)!r} exists already.",
                hint=f"Name another folder{on}.",
                code="output",
            )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is there, or a crawl of which no page was kept."""
        try:
            if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
                return True
        except OSError:
            return False
        crawl = self._crawl()
        return crawl is not None and not crawl.pages

    def load(self, scope_of: str) -> Crawl:
        """Return the crawl of `scope_of` that stopped in this folder; raises `ActionError`."""
        crawl = self._crawl()
        if crawl is None or not crawl.scope.has(scope_of):
            raise ActionError(
                f"{str(self.path)!r} has no crawl of {scope_of!r} that could go on.",
                hint="Repeat the call without start, with a new folder as output.",
                code="gone",
            )
        return crawl

    def _crawl(self) -> Crawl | None:
        try:
            return Crawl.from_json(self._resolve(STATE).read_bytes())
        except (OSError, ValueError):
            return None

    async def write(self, page: Page, scope: Scope, taken: Iterable[str]) -> str:
        """Write a page, and return the name of its file; raises `ActionError`."""
        name = file_name(page.url, scope, {*taken, INDEX, STATE})
        title = page.title.replace("\n", " ")
        text = f"---\nurl: {page.url}\ntitle: {title}\n---\n\n{page.document.text.rstrip()}\n"
        await asyncio.to_thread(self._write, name, text)
        return name

    async def remove(self, names: Iterable[str]) -> None:
        """Remove files of pages; what cannot be removed stays, and is listed nowhere."""
        for name in names:
            with suppress(OSError):
                await asyncio.to_thread(self._resolve(name).unlink, missing_ok=True)

    async def save(self, crawl: Crawl) -> None:
        """Write the index, and how far the crawl is; raises `ActionError`."""
        lines = (f"- [{_escaped(page.title)}]({page.file}) <{page.url}>" for page in crawl.pages)
        index = "\n".join((f"# Pages of {crawl.scope}", "", *lines, ""))
        if crawl.pages:
            await asyncio.to_thread(self._write, INDEX, index)
        await asyncio.to_thread(self._write, STATE, crawl.to_json())

    def _write(self, name: str, text: str) -> None:
        self._outputs.write(self._resolve(name), text.encode("utf-8", "replace"))

    def _resolve(self, name: str) -> Path:
        return self._outputs.resolve(f"{self._output}/{name}")


def _lock(folder: Path) -> int | None:
    """Lock a folder until the descriptor is closed; None where there is no such folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ActionError(
            f"Another crawl writes to {str(folder)!r} now.",
            hint="Name another folder.",
            code="output",
        ) from None
    except OSError:
        pass  # a file system without locks
    return descriptor


def file_name(url: str, scope: Scope, taken: set[str]) -> str:
    """Return a name for the page at `url`, as it stands below the scope, that is not `taken`."""
    parts = urlsplit(url)
    below = unquote(parts.path)[len(unquote(scope.path)) :].strip("/").split("/")
    fit = [_UNFIT.sub("-", part).strip(".-")[:_LONGEST] for part in below]
    fit = [part for part in fit if part] or [_START]
    stem = "/".join((*fit[: _DEEPEST - 1], "-".join(fit[_DEEPEST - 1 :])[:_LONGEST])).strip("/")
    stem = re.sub(r"\.(?:html?|md|php|aspx?)$", "", stem, flags=re.IGNORECASE) or _START
    known = {name.lower() for name in taken}
    name = f"{stem}.md"
    if parts.query or name.lower() in known:
        name = f"{stem}-{hashlib.blake2b(url.encode(), digest_size=4).hexdigest()}.md"
    return name


def _escaped(title: str) -> str:
    return _MARKDOWN.sub(r"\\\1", title)
