"""The page as a PDF."""

import asyncio
import base64

from strap import ActionError, Context, Result, UsageError
from strap_browser.interaction.response import response_for
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry
from strap_browser.snapshot.media_types import describe_media_type

OPTIONS = {"printBackground": True, "preferCSSPageSize": True, "transferMode": "ReturnAsBase64"}


async def pdf(output: str, ctx: Context[BrowserRegistry]) -> Result:
    """Print the page into a file of the output folder."""
    path = ctx.outputs.resolve(output)
    if path.suffix.lower() != ".pdf":
        raise UsageError(f"output={output!r} is no PDF's name.", hint="End it in .pdf.")
    async with using_page(ctx, reads=True) as state:
        cdp, answer = await state.tab.cdp(), response_for(ctx)
        if told := describe_media_type((await state.ask("info"))["kind"]):
            raise ActionError("The page is no page to print.", hint=told, code="no_page")
        printed = await cdp.send("Page.printToPDF", OPTIONS)
        content = base64.b64decode(printed["data"])
        await asyncio.to_thread(ctx.outputs.write, path, content)
        answer.add(f"Saved to {path} ({len(content):,} bytes).")
        return answer.result(state.tab)
