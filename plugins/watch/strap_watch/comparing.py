"""Changes between two looks, without parts that vary from look to look."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from strap import record
from strap_watch.store import Item, Watch

AGO = re.compile(r"\b(?:\d+|an?) (?:second|minute|hour|day|week|month|year)s? ago\b|\bjust now\b")
QUERY = re.compile(r"(https?://[^\s)?#]+)[?#][^\s)]*")
TOKEN = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{16,}\b")
ADS = frozenset(("ad", "ads", "advertisement", "sponsored", "promoted", "anzeige", "werbung"))
KEYS = re.compile(r"^(id|sku|isbn|url|link|href|title|name)\b", re.IGNORECASE)
ALIKE = 0.5
"""Part of the words that two paragraphs share if one came of the other."""
Change = dict[str, Any]
Rule = dict[str, Any]


@record
class Gap:
    """Difference between two paragraphs that are in both looks."""

    before: str
    after: str
    gone: Sequence[str]
    added: Sequence[str]


def plain(text: str) -> str:
    """Return text without what says nothing: ages, queries of links, random tokens."""
    return TOKEN.sub("…", QUERY.sub(r"\1", AGO.sub("… ago", text)))


def changes(watch: Watch, items: Sequence[Item]) -> list[Change]:
    """Return what the items of a look say otherwise than those of the last one."""
    if watch.mode == "text":
        _widen(watch, items)
        texts = _texts(items, watch.rules)
        before = _texts(watch.items, watch.rules)
        known = {*before, *texts}
        news = [gap for gap in _gaps(before, texts) if not _is_noise(gap, watch.rules, known)]
        _follow(watch.rules, texts)
        return [change for gap in news for change in _of_gap(gap)]
    return [change for change, _ in _row_changes(watch.items, items, watch.key, watch.rules)]


def learn(watch: Watch, items: Sequence[Item]) -> list[Rule]:
    """Return rules for what differs between two looks that no change lies between."""
    if watch.mode == "rows":
        watch.key = watch.key or _key(watch.items, items)
        return _row_rules(watch.items, items, watch.key)
    if watch.mode == "check":
        watch.key = "check"
        return []
    rules: list[Rule] = []
    for gap in _gaps(_texts(watch.items, ()), _texts(items, ())):
        pairs = list(zip_longest(gap.gone, gap.added, fillvalue=""))
        templates = [_template(old, new) for old, new in pairs]
        if all(templates):
            rules += [{"like": template} for template in templates]
        else:
            around = {"after": gap.before, "before": gap.after}
            rules.append({**around, "most": len(pairs), "last": [*gap.added]})
    return [rule for at, rule in enumerate(rules) if rule not in rules[:at]]


def _texts(items: Iterable[Item], rules: Iterable[Rule]) -> list[str]:
    likes = [_matcher(rule["like"]) for rule in rules if "like" in rule]
    texts = (plain(item["text"]) for item in items)
    return [text for text in texts if not any(like(text) for like in likes)]


def _widen(watch: Watch, items: Sequence[Item]) -> None:
    """Let a rule fit the paragraph that it is about, where that has other words than at first."""
    before, after = ([plain(item["text"]) for item in side] for side in (watch.items, items))
    new = [text for text in after if text not in {*before}]
    for rule in watch.rules:
        like = _matcher(rule.get("like", ""))
        if any(map(like, before)) and not any(map(like, after)):
            rule["like"] = next(
                filter(None, (_template(rule["like"], text) for text in new)), rule["like"]
            )


def _follow(rules: Iterable[Rule], texts: Sequence[str]) -> None:
    """Let a slot keep its rule where it has moved, or its neighbours have changed."""
    for rule in rules:
        last = rule.get("last", ())
        places = [at for at in range(len(texts)) if last and texts[at : at + len(last)] == last]
        around = [(texts[at - 1] if at else "", (*texts, "")[at + len(last)]) for at in places]
        own = [pair for pair in around if {*pair} & {rule["after"], rule["before"]}] or around
        if len(own) == 1:
            rule["after"], rule["before"] = own[0]


def _matcher(template: str) -> Callable[[str], object]:
    words = (r"(?: \S+)*" if word == "*" else f" {re.escape(word)}" for word in template.split())
    pattern = re.compile("".join(words))
    return lambda text: pattern.fullmatch(f" {text}")


def _template(old: str, new: str) -> str:
    """Return what two paragraphs have in common with * for the rest, "" where that is little."""
    before, after = old.split(), new.split()
    blocks = SequenceMatcher(a=before, b=after, autojunk=False).get_matching_blocks()
    same = [word for block in blocks for word in before[block.a : block.a + block.size]]
    if not any(map(str.isalpha, same)) or len(same) < ALIKE * max(len(before), len(after)):
        return ""
    words, at, other = list[str](), 0, 0
    for block in blocks:
        if block.a > at or block.b > other:
            words.append("*")
        words += before[block.a : block.a + block.size]
        at, other = block.a + block.size, block.b + block.size
    return " ".join(word.replace("*", "") if word != "*" else word for word in words)


def _gaps(before: Sequence[str], after: Sequence[str]) -> list[Gap]:
    """Return where two lists differ, whatever their order: by the neighbours that both have."""
    gone, added = Counter(before) - Counter(after), Counter(after) - Counter(before)
    gaps: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for side, (texts, odd) in enumerate(((before, gone), (after, added))):
        for text, place in _placed(texts, odd):
            gaps.setdefault(place, ([], []))[side].append(text)
    return [Gap(before=a, after=b, gone=o, added=n) for (a, b), (o, n) in gaps.items()]


def _placed(texts: Sequence[str], odd: Counter[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the odd texts, each with the nearest others around it."""
    odd = Counter(odd)
    marks = []
    for text in texts:
        marks.append(odd[text] > 0)
        odd[text] -= marks[-1]
    for at, text in enumerate(texts):
        if marks[at]:
            above = next((texts[n] for n in range(at - 1, -1, -1) if not marks[n]), "")
            below = next((texts[n] for n in range(at + 1, len(texts)) if not marks[n]), "")
            yield text, (above, below)


def _is_noise(gap: Gap, rules: Iterable[Rule], known: set[str]) -> bool:
    """Whether a gap is a slot: by its last text, or by its neighbours if that was lost."""
    size = max(len(gap.gone), len(gap.added))
    for rule in rules:
        last = rule.get("last", gap.gone)
        is_lost = not known.issuperset(last)
        beside = {gap.before, gap.after} & {rule.get("after"), rule.get("before")}
        if beside and size <= rule.get("most", -1) and (is_lost or last == [*gap.gone]):
            rule["last"] = [*gap.added]
            return True
    return False


def _of_gap(gap: Gap) -> Iterator[Change]:
    for old, new in zip_longest(gap.gone, gap.added, fillvalue=""):
        if old and new and _template(old, new):
            yield {"kind": "changed", "from": old, "to": new}
        else:
            yield from ({"kind": kind, "text": text} for kind, text in
                        (("gone", old), ("added", new)) if text)  # fmt: skip


def _key(*looks: Sequence[Item]) -> str:
    """Return the column that tells rows apart, "" where none does."""
    columns = list(dict.fromkeys(name for row in looks[0] for name in row))
    for column in sorted(columns, key=lambda name: not KEYS.match(name)):
        values = [[plain(row.get(column, "")) for row in look] for look in looks]
        if all(all(value) and len(set(value)) == len(value) for value in values):
            return column
    return ""


def _by_key(rows: Sequence[Item], key: str, rules: Iterable[Rule]) -> dict[str, Item]:
    columns = {rule["column"] for rule in rules if "column" in rule}
    ignored = [rule for rule in rules if "where" in rule]
    by_key: dict[str, Item] = {}
    for row in rows:
        cells = {name: plain(value) for name, value in row.items() if name not in columns}
        if _is_ad(cells) or any(row.get(rule["where"]) == rule["is"] for rule in ignored):
            continue
        name = cells.get(key) or " | ".join(cells.values())
        alike = sum(other.partition("\0")[0] == name for other in by_key) if name in by_key else 0
        by_key[f"{name}\0{alike}" if alike else name] = cells
    return by_key


def _is_ad(cells: Item) -> bool:
    return any(value.strip().lower() in ADS for value in cells.values())


def _row_changes(
    before: Sequence[Item], after: Sequence[Item], key: str, rules: Sequence[Rule]
) -> Iterator[tuple[Change, Item]]:
    """Yield what changed, with the row that tells of it."""
    old, new = _by_key(before, key, rules), _by_key(after, key, rules)
    for name in [*new, *(other for other in old if other not in new)]:
        label = name.partition("\0")[0]
        if name not in old:
            yield {"kind": "added", "row": label, "cells": new[name]}, new[name]
        elif name not in new:
            yield {"kind": "gone", "row": label, "cells": old[name]}, old[name]
        elif cells := {
            column: [old[name].get(column, ""), new[name].get(column, "")]
            for column in dict.fromkeys((*old[name], *new[name]))
            if old[name].get(column, "") != new[name].get(column, "")
        }:
            yield {"kind": "changed", "row": label, "cells": cells}, new[name]


def _row_rules(before: Sequence[Item], after: Sequence[Item], key: str) -> list[Rule]:
    rows = list(_row_changes(before, after, key, ()))
    columns = {
        name for change, _ in rows if change["kind"] == "changed" for name in change["cells"]
    }
    rules: list[Rule] = [{"column": name} for name in sorted(columns)]
    passing = [row for change, row in rows if change["kind"] != "changed"]
    stable = [row for row in _by_key(before, key, ()).values() if row not in passing]
    for row in passing:
        marks = ((name, value) for name, value in row.items() if name != key)
        own = [(n, v) for n, v in marks if all(other.get(n) != v for other in stable)]
        shared = [mark for mark in own if sum(r.get(mark[0]) == mark[1] for r in passing) > 1]
        name, value = (shared or [(key, row.get(key, ""))])[0]
        rules.append({"where": name, "is": value})
    return [rule for at, rule in enumerate(rules) if rule not in rules[:at]]
