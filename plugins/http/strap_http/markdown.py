"""HTML to Markdown; as a program, of standard input for `rendering`."""

import html
import re
import sys

MAX_HTML = 3_000_000
"""Characters of HTML that are rendered; the rest of a longer page is left out."""

# Bounded repetitions: a hostile page must not make the search quadratic.
_TITLE = re.compile(r"<title[^<>]{0,200}>(.{0,500}?)</title", re.IGNORECASE | re.DOTALL)
_HEAD = 50_000
_TAG = re.compile(r"<(/?)([a-zA-Z!][a-zA-Z0-9-]*)[^<>]*(?:>|\Z)")
_UNSHOWN = ("script", "style", "template", "noscript", "title")
_TOO_DEEP = "depth_limit_exceeded"
_PR_SET_PDEATHSIG = 1  # prctl(2)
_BLANKS = re.compile(r"\n\s*\n+")


def render_html(page: str, base_url: str) -> str:
    """Return the Markdown of `page`, its title first; links are absolute by `base_url`."""
    page = page[:MAX_HTML]
    text = _convert(page, base_url) or words(page)
    match = _TITLE.search(page[:_HEAD])
    title = " ".join(html.unescape(match.group(1)).split()) if match else ""
    if not title or _opens_with(text, title):
        return text
    return f"# {title}\n\n{text}".strip()


def _convert(page: str, base_url: str) -> str:
    import html_to_markdown

    options = html_to_markdown.ConversionOptions(
        base_url=base_url,
        extract_metadata=False,
        inline_data_media="alt_text_only",
        compact_tables=True,
    )
    try:
        converted = html_to_markdown.convert(page, options)
    except html_to_markdown.ConversionError:
        return ""
    if any(str(warning.kind) == _TOO_DEEP for warning in converted.warnings):
        return ""
    return _BLANKS.sub("\n\n", converted.content or "").strip()


def words(page: str) -> str:
    """Return the bare text: for what the converter gives up on, as elements nested thousandfold."""
    parts: list[str] = []
    at, inside = 0, ""
    for tag in _TAG.finditer(page):
        closing, name = tag.group(1), tag.group(2).lower()
        if not inside:
            parts.append(page[at : tag.start()])
        if not inside and not closing and name in _UNSHOWN:
            inside = name
        elif closing and name == inside:
            inside = ""
        at = tag.end()
    parts.append("" if inside else page[at:])
    lines = (" ".join(line.split()) for line in html.unescape(" ".join(parts)).splitlines())
    return "\n".join(line for line in lines if line)


def _opens_with(text: str, title: str) -> bool:
    first = text[: len(title) + 10].partition("\n")[0].lstrip("# ").casefold()
    return bool(first) and title.casefold().startswith(first)


def main(seconds: str) -> None:
    """Render standard input, its first line the base URL, to standard output.

    Ends with the process that started it, where the kernel can see to that (Linux), and after
    `seconds` of computing in any case.
    """
    import ctypes
    import resource
    import signal

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    base_url, _, page = sys.stdin.buffer.read().decode().partition("\n")
    sys.stdout.buffer.write(render_html(page, base_url).encode())


if __name__ == "__main__":
    main(sys.argv[1])
