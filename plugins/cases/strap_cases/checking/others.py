"""Checks of cookies, downloads, what the agent said, and what a server answers."""

import json
from urllib.parse import urljoin

from strap import ActionError
from strap_cases.checking.matching import fits
from strap_cases.checking.scene import Observed, Scene
from strap_cases.checks import Check, Text

MOST_PARTS = 10
"""Parts of an answer, each of some 400,000 characters, that a text is looked for in."""
MOST_FILES = 100
"""Downloads that are looked at, the last ones."""
SHOWN = 200
"""Characters of a text that a report shows."""


async def cookie(check: Check, scene: Scene) -> Observed:
    """Whether the page has a cookie of a name."""
    names: list[str] = (await scene.session.on_page("cookies")).data or []
    return Observed(check.arguments["name"] in names, ", ".join(names) or "no cookies")


async def download(check: Check, scene: Scene) -> Observed:
    """Whether a file of a name was downloaded to its end."""
    pattern = check.arguments["pattern"]
    assert isinstance(pattern, Text)
    files = (await scene.session.call("browser", "downloads", limit=MOST_FILES)).data or []
    met = any(file["path"] and fits(file["name"], pattern) for file in files)
    known = met or len(files) < MOST_FILES
    return Observed(
        met if known else None, ", ".join(file["name"] for file in files) or "no downloads"
    )


async def answer(check: Check, scene: Scene) -> Observed:
    """Whether the agent's answer contains a text."""
    expected = check.arguments["text"]
    assert isinstance(expected, Text)
    return Observed(all(await scene.matching.which([scene.answer], expected)), _short(scene.answer))


async def http(check: Check, scene: Scene) -> Observed:
    """Whether a server answers a request, made without the page's cookies, with a status."""
    path, expected = check.arguments["path"], check.arguments.get("text")
    assert isinstance(path, Text)
    url, method = urljoin(scene.base_url, path.value), str(check.arguments["method"])
    try:
        status, text, cut = await _fetched(scene, url, method)
    except ActionError as error:
        return Observed(None if check.negative else False, error.message)
    met = status == check.arguments["status"]
    if met and isinstance(expected, Text):
        (met,) = await scene.matching.which([text], expected)
        return Observed(met if met or not cut else None, f"{status} {_short(text)}")
    return Observed(met, str(status))


async def _fetched(scene: Scene, url: str, method: str) -> tuple[int, str, bool]:
    start: int | None = 0
    parts = list[str]()
    while start is not None and len(parts) < MOST_PARTS:
        got = await scene.session.call(
            "http", "fetch", url=url, method=method, value="raw", start=start, max_tokens=100_000
        )
        parts.append(got.text.partition("\n\n")[2])  # behind the line that tells of the answer
        start = got.data["next_start"] if method == "GET" else None
    return got.data["status"], "".join(parts), start is not None


def _short(text: str) -> str:
    short = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return json.dumps(short, ensure_ascii=False)
