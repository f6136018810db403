"""HTML to Markdown, with a limit that holds: some pages keep any parser busy for minutes."""

import asyncio
import math
import sys

from strap_http.markdown import MAX_HTML, render_html, words

SMALL = 65_536
"""Characters of HTML that are rendered in this process: nothing so short takes long."""
SECONDS = 5.0
"""How long rendering may take in a process of its own."""


async def render(page: str, base_url: str) -> str:
    """Return the Markdown of `page`, or its bare text where that would take too long."""
    if len(page) <= SMALL:
        return await asyncio.to_thread(render_html, page, base_url)
    page = page[:MAX_HTML]
    rendered = await _render_apart(page, base_url)
    return await asyncio.to_thread(words, page) if rendered is None else rendered


async def _render_apart(page: str, base_url: str) -> str | None:
    """Render in a process that is killed at the limit, and when the call is cancelled."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "strap_http.markdown", str(math.ceil(SECONDS))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(SECONDS):
            rendered, _ = await process.communicate(f"{base_url}\n{page}".encode())
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    return rendered.decode() if process.returncode == 0 else None
