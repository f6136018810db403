"""Gathering the pages of a crawl: cached documents, and files if a folder is given."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from strap_http.document.document_cache import Document, Documents
from strap_http.sites.folder import Folder
from strap_http.sites.frontier import Crawl, CrawledPage
from strap_http.sites.visits import Page, Visitor


@dataclass(kw_only=True, slots=True)
class Gathering:
    """The pages of one call, told by `tell` one by one; `read` are the documents to search."""

    caller: str
    visitor: Visitor
    documents: Documents
    folder: Folder | None
    searched: bool
    tell: Callable[[str, None, float], Awaitable[None]]
    goal: int
    read: list[Document] = field(default_factory=list)

    async def take(self, page: Page, crawl: Crawl) -> CrawledPage:
        """Keep a page."""
        self.documents.put((self.caller, self.visitor.request(page.url), None), page.document)
        if self.searched:
            self.read.append(page.document)
        file = ""
        if self.folder is not None:
            taken = (entry.file for entry in crawl.pages)
            file = await self.folder.write(page, crawl.scope, taken)
        await self.tell(page.url, None, self.goal)
        characters = len(page.document.text)
        return CrawledPage(url=page.url, title=page.title, characters=characters, file=file)

    async def drop(self, pages: Iterable[CrawledPage]) -> None:
        """Keep these pages no longer."""
        gone = {page.url: page for page in pages}
        self.read = [document for document in self.read if document.url not in gone]
        if self.folder is not None:
            await self.folder.remove(page.file for page in gone.values())

    async def save(self, crawl: Crawl) -> None:
        """Keep how far the crawl is."""
        if self.folder is not None:
            await self.folder.save(crawl)
