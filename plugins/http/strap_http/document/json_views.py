"""`selector` and `value=outline` of JSON: the values at a path, and the paths that there are."""

from dataclasses import replace

from strap import ActionError, Job, JobResult, UsageError, Workers
from strap.documents.media_types import is_json
from strap.text import counted
from strap_http.document.document_cache import Document

SECONDS = 3.0
"""Computing that reading the data, and following a path in it, may take."""
_JSON = "strap_http.extraction.files.json_data"
_OUTLINE = "Call with value=outline for the paths that there are."


async def selected(document: Document, path: str, workers: Workers) -> Document:
    """Return the values at the JSONPath `path`; raises `UsageError`, `ActionError` without JSON."""
    if not is_json(document.media_type):
        raise UsageError(
            f"selector={path!r} goes with JSON; this is {document.media_type or 'of no type'}.",
            hint="Leave it out; text finds passages.",
        )
    answer = await _ask("select", document, workers, path=path)
    count = answer.facts["count"]
    if not count:
        raise ActionError(f"Nothing is at {path!r}.", hint=_OUTLINE, code="no_match")
    summary = f"{counted(count, 'value')} at {path!r} in {len(document.text):,} characters"
    return replace(document, head=f"{document.head}\n{summary}", text=answer.text, partial=False)


async def paths(document: Document, workers: Workers) -> Document:
    """Return the paths of the data; raises `ActionError` for what is no JSON."""
    answer = await _ask("outline", document, workers)
    count = answer.facts["count"]
    summary = f"{counted(count, 'path')}; selector takes one, as in selector='$.items[0]'."
    return replace(document, head=f"{document.head}\n{summary}", text=answer.text, partial=False)


async def _ask(kind: str, document: Document, workers: Workers, **arguments: str) -> JobResult:
    payload = document.text.encode("utf-8", "replace")
    job = Job(function=f"{_JSON}:{kind}", payload=payload, arguments=arguments, seconds=SECONDS)
    answer = await workers.do(job)
    if answer is None:
        raise ActionError(
            f"{len(document.text):,} characters of JSON take too long, or too much memory.",
            hint="Ask the server for less of it, or use a path without '..'.",
            code="too_long",
        )
    problem = str(answer.facts["problem"])
    if problem.startswith("not a valid JSONPath"):
        raise UsageError(
            f"selector={arguments['path']!r} is {problem}.", hint="As in '$.items[*].name'."
        )
    if problem:
        raise ActionError(
            f"{document.url!r} has {problem}.", hint="value=raw shows it.", code="no_match"
        )
    return answer
