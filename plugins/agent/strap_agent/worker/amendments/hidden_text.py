"""Text that nobody sees, marked in what the agent's actions read of a page.

Pages hide text to speak to a model alone. It is told, as screen readers may need it, and called so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

BEGIN, END = "\ue0f2", "\ue0f3"
"""Around hidden text on its way: of an area that Unicode leaves free."""
MARKS = re.compile(f"[{BEGIN}{END}]")
HIDDEN, OVER = "(hidden text, which nobody sees) ", " (end of hidden text)"
SPOOFED = re.compile(r"\(\s*(end of hidden text)\s*\)", re.IGNORECASE)
"""Text with which a page may fake the end of its hidden text."""
CLEAR = re.compile(r"rgba\(.*, 0\)|transparent")
CLIPPED = re.compile(r"rect\(((0|1)px,? ?){4}\)|inset\((50|100)%.*\)|circle\(0.*")
"""Values of `clip` and `clip-path` that leave nothing."""
STYLES = ("color", "font-size", "background-image", "clip", "clip-path", "content-visibility")
"""Styles that browser-use does not ask for by itself."""
SMALLEST_FONT, SMALLEST_BOX = 1, 1
"""CSS pixels: a font below is not seen, nor what a box of that size or less cuts off."""

_SCRIPT = """
function _around(node) {
  return node.parentElement || node.getRootNode().host;
}
function _hides(element) {
  if (!element) return false;
  const memo = (_hides.memo ??= new Map());
  if (!memo.has(element)) memo.set(element, _hidesItself(element) || _hides(_around(element)));
  return memo.get(element);
}
function _hidesItself(element) {
  const style = getComputedStyle(element);
  if (style.display === "contents") return false;
  const clipped = /^(CLIPPED)$/;
  if (clipped.test(style.clip) || clipped.test(style.clipPath)) return true;
  if (style.contentVisibility === "hidden") return true;
  if (!element.checkVisibility({ opacityProperty: true })) return true;
  const { width, height } = element.getBoundingClientRect();
  return style.overflow !== "visible" && Math.min(width, height) <= SMALLEST_BOX;
}
function _isUnseen(node) {
  const clear = (color) => /^(CLEAR)$/.test(color);
  const list = _around(node)?.closest("select");  // a person opens it
  let element = list || _around(node);
  if (!element) return true;
  const range = document.createRange(), style = getComputedStyle(element), { color } = style;
  range.selectNode(list || node);
  const { right, bottom } = range.getBoundingClientRect();
  if (!range.getClientRects().length || right + scrollX <= 0 || bottom + scrollY <= 0) return true;
  if (style.visibility !== "visible" || parseFloat(style.fontSize) < SMALLEST_FONT) return true;
  if (clear(color) || _hides(element)) return true;
  for (; element; element = _around(element)) {
    const { backgroundImage, backgroundColor } = getComputedStyle(element);
    if (backgroundImage !== "none") return false;
    if (!clear(backgroundColor)) return backgroundColor === color;
  }
  return color === "rgb(255, 255, 255)";
}
function _marked(node) {
  const text = node.textContent.replace(/[\\ue0f2\\ue0f3]/g, "");
  return text.trim() && _isUnseen(node) ? `\\ue0f2${text}\\ue0f3` : text;
}
function _markedIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) text += _marked(walker.currentNode);
  return text;
}
function _begun(text, at) {
  const before = text.slice(0, at);
  return before.lastIndexOf("\\ue0f2") > before.lastIndexOf("\\ue0f3") ? "\\ue0f2" : "";
}
"""
MARKING = (
    _SCRIPT.replace("CLIPPED", CLIPPED.pattern)
    .replace("CLEAR", CLEAR.pattern)
    .replace("SMALLEST_FONT", str(SMALLEST_FONT))
    .replace("SMALLEST_BOX", str(SMALLEST_BOX))
)
"""Functions beside the scripts of browser-use that search a page."""
SEARCHES: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "search_page": (
        "_SEARCH_PAGE_JS_BODY",
        [
            ("var text = node.textContent;", "var text = _marked(node);"),
            ("context = fullText", "context = _begun(fullText, start) + fullText"),
        ],
    ),
    "find_elements": ("_FIND_ELEMENTS_JS_BODY", [("(el.textContent || '')", "_markedIn(el)")]),
}
"""The script of each of these actions, and what is put in place of what."""


def install() -> None:
    """Have the serializer of browser-use, which `extract` reads, mark what is hidden."""
    from browser_use.dom.serializer.html_serializer import HTMLSerializer

    serializer: Any = HTMLSerializer
    serializer.serialize = _serialized(serializer.serialize)


def mark(tools: Any) -> Iterator[str]:
    """Have actions mark hidden text in results; yields those whose scripts are unknown."""
    from browser_use.tools import service

    actions = tools.registry.registry.actions
    for name, (body, changes) in SEARCHES.items():
        script = getattr(service, body, "")
        if not script.endswith(MARKING) and any(script.count(old) != 1 for old, _ in changes):
            yield name
            continue
        if not script.endswith(MARKING):
            for old, new in changes:
                script = script.replace(old, new)
            setattr(service, body, script + MARKING)
        actions[name].function = _marking_hidden(actions[name].function)


def in_words(text: str) -> str:
    """Return a text in which words mark what is hidden."""
    return SPOOFED.sub(r"[\1]", text).replace(BEGIN, HIDDEN).replace(END, OVER)


def is_unseen(text: Any) -> bool:
    """Whether a text node is drawn so that nobody sees it, or not drawn at all."""
    lists = (node for node in _around(text.parent_node) if node.node_name == "SELECT")
    shown = next(lists, text)  # a person opens the list
    around = list(_around(shown.parent_node if shown is text else shown))
    own = _styles(around[0]) if around else {}
    color, size = own.get("color", ""), own.get("font-size", "")
    if (size.endswith("px") and float(size[:-2]) < SMALLEST_FONT) or CLEAR.fullmatch(color):
        return True
    return _is_away(shown, own) or any(map(_hides, around)) or _is_as_behind(color, around)


def _around(node: Any) -> Iterator[Any]:
    while node is not None:
        yield node
        node = node.parent_node


def _is_as_behind(color: str, around: list[Any]) -> bool:
    for node in around:
        styles = _styles(node)
        if styles.get("background-image", "none") != "none":
            return False
        behind = styles.get("background-color", "")
        if behind and not CLEAR.fullmatch(behind):
            return bool(behind == color)
    return color == "rgb(255, 255, 255)"  # the window's own background


def _is_away(text: Any, styles: Any) -> bool:
    """Whether a text is not drawn, or beyond the top or the left edge: nobody scrolls there."""
    bounds = _bounds(text)
    if bounds is None or styles.get("visibility", "visible") != "visible":
        return True
    return bool(bounds.x + bounds.width <= 0 or bounds.y + bounds.height <= 0)


def _hides(node: Any) -> bool:
    styles, bounds = _styles(node), _bounds(node)
    if styles.get("opacity") == "0" or styles.get("content-visibility") == "hidden":
        return True
    if any(CLIPPED.fullmatch(styles.get(name, "")) for name in ("clip", "clip-path")):
        return True
    cuts = styles.get("overflow", "visible") != "visible" and bounds is not None
    return bool(cuts and min(bounds.width, bounds.height) <= SMALLEST_BOX)


def _bounds(node: Any) -> Any:
    return getattr(getattr(node, "snapshot_node", None), "bounds", None)


def _styles(node: Any) -> Any:
    return getattr(getattr(node, "snapshot_node", None), "computed_styles", None) or {}


def _serialized(inner: Any) -> Any:
    @wraps(inner)
    def serialize(self: Any, node: Any, depth: int = 0) -> str:
        text: str = inner(self, node, depth)
        if getattr(node.node_type, "name", "") != "TEXT_NODE":
            return text
        text = MARKS.sub("", text)
        return f"{BEGIN}{text}{END}" if text.strip() and is_unseen(node) else text

    return serialize


def _marking_hidden(inner: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(inner)
    async def act(*args: Any, **fields: Any) -> Any:
        result = await inner(*args, **fields)
        if (text := result.extracted_content) is None:
            return result
        # browser-use would tell its model how many were found, and none of them.
        once = {"include_extracted_content_only_once": True}
        return result.model_copy(update={"extracted_content": in_words(text), **once})

    return act
