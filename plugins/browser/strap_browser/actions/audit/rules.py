"""Rules of `audit`: what each is about, how much it matters, what mends it."""

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule: `weight` orders findings, `mend` is what to do."""

    weight: int
    title: str
    mend: str


RULES = {
    "name": Rule(90, "no name (WCAG 4.1.2)", "give it text or an aria-label"),
    "label": Rule(90, "field without a label (WCAG 3.3.2)", "add a label with for, or aria-label"),
    "alt": Rule(80, "picture without alt (WCAG 1.1.1)", 'say what it shows, or alt=""'),
    "keyboard": Rule(80, "mouse only (WCAG 2.1.1)", "make it a button"),
    "hidden focus": Rule(75, "focus inside aria-hidden (WCAG 4.1.2)", "use inert, or tabindex=-1"),
    "console": Rule(72, "error in the console", "see `console`"),
    "image": Rule(70, "broken picture", "mend its address"),
    "link": Rule(70, "broken link", "mend its address"),
    "mixed": Rule(70, "http content in an https page", "load it by https"),
    "contrast": Rule(65, "low contrast (WCAG 1.4.3)", "darken the text or lighten what is behind"),
    "lang": Rule(60, "no language (WCAG 3.1.1)", "set lang on <html>"),
    "title": Rule(60, "no title (WCAG 2.4.2)", "write a <title>"),
    "zoom": Rule(55, "zoom is switched off (WCAG 1.4.4)", "drop user-scalable and maximum-scale"),
    "frame": Rule(55, "frame without a title (WCAG 4.1.2)", "add title"),
    "lcp": Rule(54, "largest content comes late", "load it first, and smaller: 2,500 ms is good"),
    "cls": Rule(53, "content jumps", "give pictures and late parts their size: 0.1 is good"),
    "inp": Rule(52, "answers input late", "do less in its handlers: 200 ms is good"),
    "ttfb": Rule(51, "server answers late", "cache, or answer sooner: 800 ms is good"),
    "blocking": Rule(50, "holds up the first picture", "load it with defer, or later"),
    "cookie": Rule(48, "cookie without flags", "set what is missing"),
    "tabindex": Rule(
        45, "focus order forced (WCAG 2.4.3)", "use tabindex=0 and the document's order"
    ),
    "anchor": Rule(44, "link to no part of the page", "mend the fragment or the id"),
    "target": Rule(40, "target below 24 x 24 px (WCAG 2.5.8)", "enlarge it or move it away"),
    "oversized": Rule(38, "picture larger than shown", "send a smaller one (srcset)"),
    "empty heading": Rule(35, "empty heading (WCAG 1.3.1)", "give it text or drop it"),
    "heading": Rule(30, "heading level left out (WCAG 1.3.1)", "use the next level"),
    "h1": Rule(25, "no h1 (WCAG 1.3.1)", "make the page's heading an h1"),
}
GOOD = {"lcp": 2_500.0, "cls": 0.1, "inp": 200.0, "ttfb": 800.0}
"""Largest good values (web.dev/vitals): milliseconds, and the score of layout shifts."""
BLOCKING_MS = 500
"""Milliseconds for which a script or stylesheet may hold up the first picture."""
