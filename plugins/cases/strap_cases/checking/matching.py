"""Whether texts are what a check looks for; what may take for ever is done by a worker."""

import json
import re
from collections.abc import Sequence
from fnmatch import translate
from urllib.parse import urlsplit

from strap import ActionError, Job, JobResult, Workers
from strap_cases.checks import Text

SECONDS = 2.0
"""Computing that a look at all texts may take: some expressions take time by their square."""
_WORK = "strap_cases.checking.searching"


class Matching:
    """Matches texts of pages, servers and models, in a worker that starts when it is needed."""

    def __init__(self) -> None:
        self._workers: Workers | None = None

    async def which(self, texts: Sequence[str], expected: Text) -> list[bool]:
        """Return for each text whether it matches; raises `ActionError` where that takes long."""
        if expected.form != "regex":
            return [contains(text, expected) for text in texts]
        pattern = expected.value
        answer = await self._done("match", texts, pattern=pattern, ignore_case=expected.ignore_case)
        if answer is None:
            raise ActionError(
                f"/{pattern}/ takes too long on what is there.",
                hint="Write it without a repeat of repeats, or look at less.",
                code="too_long",
            )
        numbers = set(answer.facts["numbers"])
        return [number in numbers for number in range(len(texts))]

    async def nearest(self, text: str, texts: Sequence[str]) -> str:
        """Return the text that is most like what is wanted; "" for none, or where it takes long."""
        answer = await self._done("nearest", texts, text=squeezed(text))
        return answer.text if answer else ""

    async def end(self) -> None:
        """End the worker."""
        if self._workers is not None:
            workers, self._workers = self._workers, None
            await workers.aclose()

    async def _done(
        self, function: str, texts: Sequence[str], **arguments: str | bool
    ) -> JobResult | None:
        if self._workers is None:
            self._workers = Workers(most=1)
        payload = json.dumps(texts).encode()
        job = Job(
            function=f"{_WORK}:{function}", payload=payload, arguments=arguments, seconds=SECONDS
        )
        return await self._workers.do(job)


def contains(text: str, expected: Text) -> bool:
    """Whether a text contains another; blanks and line ends count as one blank."""
    return squeezed(expected.value) in squeezed(text)


def fits(text: str, expected: Text) -> bool:
    """Whether the whole of a text is a path, in which `*` stands for anything."""
    if expected.form == "path":
        return re.fullmatch(_any(expected.value), text) is not None
    return contains(text, expected)


def fits_address(url: str, expected: Text) -> bool:
    """Whether an address is at a path, which has a query only where it is asked for."""
    if expected.form != "path":
        return contains(url, expected)
    try:
        parts, has_host = urlsplit(url), bool(urlsplit(expected.value).scheme)
    except ValueError:  # neither a page nor whoever writes a case is bound to addresses
        return False
    host = f"{parts.scheme}://{parts.netloc}" if has_host else ""
    path = f"{host}{parts.path}" if host else parts.path or "/"
    if "?" in expected.value:
        path = f"{path}?{parts.query}"
    return fits(path, expected)


def squeezed(text: str) -> str:
    """Return a text with single blanks."""
    return " ".join(text.split())


def _any(pattern: str) -> str:
    return translate(re.sub(r"([\[?])", r"[\1]", pattern))
