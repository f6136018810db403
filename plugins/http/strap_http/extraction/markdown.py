"""HTML to Markdown, and to bare text where that is too hard."""

import html
import re

from strap_http.extraction.shingles import is_alike, words

# Bounded repetitions: a hostile page must not make the search quadratic.
_TITLE = re.compile(r"<title[^<>]{0,200}>(.{0,500}?)</title", re.IGNORECASE | re.DOTALL)
_HEAD = 50_000
_OPENING = 1_000
"""Characters of a text in which a heading may repeat the title."""
_TAG = re.compile(
    r"<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))|<(?:/[a-zA-Z]|!|([a-zA-Z][a-zA-Z0-9-]*))[^<>]*(?:>|\Z)"
)
"""A comment, or a tag with its name if it opens an element."""
_UNSHOWN = ("script", "style", "template", "noscript", "title")
_SUMMARY = re.compile(r"<(/?)summary\b", re.IGNORECASE)
_SCRIPTED = re.compile(
    r"\shref\s{0,9}=\s{0,9}(?:\"\s{0,9}javascript:[^\"<]*\"|'\s{0,9}javascript:[^'<]*')",
    re.IGNORECASE,
)
"""Link target that runs a script."""
_WRAPPED = re.compile(
    r"<code\b[^<>]{0,500}>\s{0,99}(?=<pre\b)|(?<=</pre>)\s{0,99}</code>", re.IGNORECASE
)
"""Inline code around a block of code, which would make it a line of code."""
_WITHIN = r"(?>=\s*+(?:\"[^\"<]*\"|'[^'<]*')|[^<>])++"
"""A tag ends where the next one begins, but `>` may stand in a value: each is read once."""
_LINK = re.compile(rf"<a\s{_WITHIN}>", re.IGNORECASE)
_IMAGE = re.compile(rf"<img\s{_WITHIN}>", re.IGNORECASE)
_VALUE = re.compile(
    r"(?<=[\s\"'/])([^\s\"'<>/=]{1,99}+)\s*+=\s*+(?:\"([^\"<]*)\"|'([^'<]*)'|([^\s<>]+))"
)
_LATE = ("data-src", "data-lazy-src", "data-original", "data-lazy-original")
_MARKED = re.compile(r"!\[(!\[(?:\\.|[^\[\]\\]){0,9999}\])\](?=\()")
"""A picture that was marked as one, and has an address from what is around it."""
_POWER = re.compile(
    r"<(?:sup|SUP)\b[^<>]{0,200}>\s{0,9}([-+\u2212]?[0-9]{1,3}|n)\s{0,9}</(?:sup|SUP)>"
)
_RAISED = str.maketrans(
    "0123456789+-\u2212n",
    "\u2070\xb9\xb2\xb3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207b\u207f",
)
"""10 to the power of 3 would be 103; so are the numbers of notes raised that are no links."""
_ITEM = re.compile(r"<(/?)(ol|ul|menu|li)\b([^<>]*+)>", re.IGNORECASE)
_NUMBER = re.compile(r"\s(?:start|value)\s?=\s?[\"']?(\d{1,6})\b", re.IGNORECASE)
_NEEDLESS = [
    *(
        ".katex-html",
        "td.linenos",
        "td.lineno",
        "td.hljs-ln-numbers",
        ".react-syntax-highlighter-line-number",
    ),
]
"""Formulas once more, drawn; the numbers of the lines of code beside it."""
_TOO_DEEP = "depth_limit_exceeded"
_BLANKS = re.compile(r"\n\s*\n+")
_RULES = re.compile(r"(?:---\n+)+")
_TARGET = re.compile(r"\]\([^()\s]*\)")


def convert(page: str, base_url: str, *, menus: bool = False, forms: bool = True) -> str:
    """Return the Markdown of `page` with absolute links; empty if it is nested too deep."""
    try:
        import html_to_markdown
    except ImportError:  # the extra `extract` is not installed
        from strap_http.extraction import simple_markdown

        return simple_markdown.convert(page, base_url, menus=menus, forms=forms)
    options = html_to_markdown.ConversionOptions(
        base_url=base_url,
        extract_metadata=False,
        inline_data_media="alt_text_only",
        compact_tables=True,
        exclude_selectors=_NEEDLESS,
        preprocessing=html_to_markdown.PreprocessingOptions(
            remove_navigation=not menus, remove_forms=not forms
        ),
    )
    plain = _SUMMARY.sub(r"<\1div", page)  # would be in bold, with the headings in it
    plain = _IMAGE.sub(_with_address, _WRAPPED.sub("", _LINK.sub(_unscripted, plain)))
    plain = _POWER.sub(lambda power: power[1].translate(_RAISED), plain)
    plain = _with_numbers(plain)
    try:
        converted = html_to_markdown.convert(plain, options)
    except html_to_markdown.ConversionError:
        return ""
    if any(str(warning.kind) == _TOO_DEEP for warning in converted.warnings):
        return ""
    text = _MARKED.sub(r"\1", converted.content or "")
    text = _BLANKS.sub("\n\n", text).strip()
    above = _RULES.match(text)  # rules with nothing above them
    return text[above.end() :] if above else text


def _with_numbers(page: str) -> str:
    """The page with a list of its own from each item that says its number: the converter counts."""
    lists: list[list[int]] = []  # the next number of each open list; empty for one without numbers

    def numbered(tag: "re.Match[str]") -> str:
        is_end, name, digits = tag[1], tag[2].lower(), _NUMBER.search(tag[3])
        number = digits[1] if digits else None
        if name != "li":
            if not is_end:
                lists.append([int(number or 1)] if name == "ol" else [])
            elif lists:
                lists.pop()
        elif not is_end and lists and lists[-1]:
            at = lists[-1][0]
            lists[-1][0] = int(number or at) + 1
            if number and int(number) != at:
                return f'</ol><ol start="{int(number)}">{tag[0]}'
        return tag[0]

    return _ITEM.sub(numbered, page) if _NUMBER.search(page) else page


def _unscripted(link: "re.Match[str]") -> str:
    """A link without its address if that is a script: only in its tag, texts may say the same."""
    return _SCRIPTED.sub("", link[0])


def _with_address(image: "re.Match[str]") -> str:
    """Give a picture its lazy address, and mark the alternative text of one without any."""
    attributes: dict[str, str] = {}
    for value in _VALUE.finditer(image[0]):
        attributes.setdefault(value[1].lower(), next(filter(None, value.groups()[1:]), "").strip())
    address, text = attributes.get("src", ""), attributes.get("alt", "")
    if address and address[:5].lower() != "data:":
        return image[0]
    late = next((attributes[name] for name in attributes if name in _LATE and attributes[name]), "")
    attributes |= {"src": late or "data:,", "alt": text if late or not text else f"![{text}]"}
    values = (f'{name}="{value.replace(chr(34), "&quot;")}"' for name, value in attributes.items())
    return f"<img {' '.join(values)}>"


def bare(page: str) -> str:
    """Return the bare text: for what the converter gives up on, as elements nested thousandfold."""
    parts: list[str] = []
    at = 0
    while tag := _TAG.search(page, at):
        parts.append(page[at : tag.start()])
        at = tag.end()
        name = (tag[1] or "").lower()
        if name in _UNSHOWN:
            closing = re.compile(rf"</{name}\b[^<>]*>?", re.IGNORECASE).search(page, at)
            at = closing.end() if closing else len(page)
    parts.append(page[at:])
    lines = (" ".join(line.split()) for line in html.unescape(" ".join(parts)).splitlines())
    return "\n".join(line for line in lines if line)


def title_of(page: str) -> str:
    """The title in the head of `page`, empty if it has none."""
    match = _TITLE.search(page[:_HEAD])
    return " ".join(html.unescape(match.group(1)).split()) if match else ""


def titled(text: str, title: str) -> str:
    """Put the title before a text that does not begin with it, or with a headline for it."""
    return text if not title or _opens_with(text, title) else f"# {title}\n\n{text}".strip()


def _opens_with(text: str, title: str) -> bool:
    lines = [line for line in text[:_OPENING].split("\n") if line]
    candidates = [*lines[:1], *(line for line in lines if line.startswith("#"))]
    whole = words(title)
    heads = [words(_TARGET.sub("]", line)) for line in candidates]
    is_headed = bool(lines) and lines[0].startswith("# ") and is_alike(heads[0], whole)
    return is_headed or any(head and whole[: len(head)] == head for head in heads)
