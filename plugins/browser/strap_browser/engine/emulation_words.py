"""The words of `emulate`: devices, media, places, clocks."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from strap import ActionError, UsageError
from strap_browser.common.text import clip
from strap_browser.engine.emulation import DEVICES, NETWORKS, Emulated

SHOWN = 60
"""Characters shown of a word that is none."""
LONGEST_NAME = 5
"""Words in the name of a device."""
LEAST, MOST = 50, 8_000
"""CSS pixels of a side."""
SLOWEST = 20
"""How many times slower a processor may be: at more, calls reach their limits."""
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.7 Mobile/15E148 Safari/604.1"
)
WORDS = (
    "a device ('iPhone 15'), 390x844, dark, light, print, reduced-motion, forced-colors, touch, "
    f"passkey, geo=52.5,13.4, timezone=Europe/Berlin, locale=de-DE, cpu=4 (1 to {SLOWEST}), "
    "permission=clipboard-read, javascript=off, clock=2026-12-24T10:00, "
    "offline, slow-3g, fast-3g, user-agent=… (last), off"
)
PLAIN: dict[str, dict[str, Any]] = {
    "dark": {"scheme": "dark"},
    "light": {"scheme": "light"},
    "print": {"media": "print"},
    "screen": {"media": None},
    "reduced-motion": {"motion": True},
    "forced-colors": {"colors": True},
    "touch": {"touch": True},
    "passkey": {"passkeys": True},
    "javascript=off": {"javascript": False},
    "javascript=on": {"javascript": None},
    "online": {"network": None},
    **{name: {"network": name} for name in NETWORKS},
}
NAMES = {name.casefold(): name for name in DEVICES}


def read_words(text: str, before: Emulated, own_agent: str) -> Emulated:
    """Return what is shown when these words are added; raises `UsageError`, `ActionError`."""
    text, _, agent = text.partition("user-agent=")
    emulated = before
    for word in _words(text):
        if word == "off":
            emulated = Emulated()
        elif word.casefold() in NAMES:
            emulated = replace(emulated, **_device(NAMES[word.casefold()], own_agent))
        else:
            emulated = replace(emulated, **_word(word, emulated))
    if agent:
        if not re.fullmatch(r"[\x20-\x7e]{1,500}", agent):
            raise UsageError("user-agent= takes 1 to 500 characters of ASCII.")
        emulated = replace(emulated, agent=agent.strip())
    return emulated


def check_words(text: str) -> None:
    """Raise `UsageError` or `ActionError` for what are no words."""
    read_words(text, Emulated(), "")


def _words(text: str) -> Iterator[str]:
    tokens = [token for token in re.split(r"[,;]?\s+|;", text.strip().strip(",;")) if token]
    while tokens:
        sizes = range(min(LONGEST_NAME, len(tokens)), 1, -1)
        size = next((n for n in sizes if " ".join(tokens[:n]).casefold() in NAMES), 1)
        if size == 1 and _is_unknown(tokens[0]):
            raise _unknown(" ".join(tokens[:3]))
        yield " ".join(tokens[:size])
        del tokens[:size]


def _is_unknown(word: str) -> bool:
    known = word in PLAIN or word == "off" or word.casefold() in NAMES
    return not (known or re.fullmatch(r"\d+x\d+", word) or word.partition("=")[0] in VALUES)


def _unknown(text: str) -> ActionError:
    near = get_close_matches(text.casefold(), NAMES, n=5, cutoff=0)
    return ActionError(
        f"emulate knows no device or word {clip(text, SHOWN)!r}.",
        hint=f"Devices like it: {', '.join(NAMES[name] for name in near)}. Words: {WORDS}.",
        code="unknown_device",
    )


def _device(name: str, own_agent: str) -> dict[str, Any]:
    width, height, scale = DEVICES[name]
    if name.startswith("iPhone"):
        agent = IPHONE
    elif name.startswith("iPad"):
        agent = IPHONE.replace("(iPhone; CPU iPhone OS", "(iPad; CPU OS")
    else:
        version = re.search(r"Chrome/[\d.]+", own_agent)
        mobile = "" if "Tab" in name or name in ("Nexus 7", "Nexus 10") else " Mobile"
        agent = (
            f"Mozilla/5.0 (Linux; Android 14; {name}) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"{version[0] if version else 'Chrome'}{mobile} Safari/537.36"
        )
    return {"size": (width, height, scale, True), "touch": True, "agent": agent}


def _word(word: str, emulated: Emulated) -> dict[str, Any]:
    if word in PLAIN:
        return PLAIN[word]
    if size := re.fullmatch(r"(\d{1,5})x(\d{1,5})", word, re.ASCII):
        width, height = int(size[1]), int(size[2])
        if not (LEAST <= width <= MOST and LEAST <= height <= MOST):
            raise UsageError(f"A side has {LEAST} to {MOST:,} px, not {word}.")
        scale, is_phone = emulated.size[2:] if emulated.size else (1, False)
        return {"size": (width, height, scale, is_phone)}
    name, _, value = word.partition("=")
    try:
        return VALUES[name](value, emulated)
    except (KeyError, ValueError):
        raise UsageError(f"emulate knows no {clip(word, SHOWN)!r}.", hint=WORDS) from None


def _geo(value: str, _: Emulated) -> dict[str, Any]:
    latitude, longitude = map(float, value.split(","))
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise ValueError
    return {"geo": (latitude, longitude)}


def _cpu(value: str, _: Emulated) -> dict[str, Any]:
    if not 1 <= (rate := float(value)) <= SLOWEST:
        raise ValueError
    return {"cpu": rate}


def _clock(value: str, _: Emulated) -> dict[str, Any]:
    return {"clock": datetime.fromisoformat(value), "clock_set": int(time.time() * 1000)}


def _permission(value: str, emulated: Emulated) -> dict[str, Any]:
    if not re.fullmatch(r"[a-z-]{3,40}", value):
        raise ValueError
    return {"permissions": tuple(dict.fromkeys((*(emulated.permissions or ()), value)))}


def _matching(field: str, pattern: str) -> Callable[[str, Emulated], dict[str, Any]]:
    def read(value: str, _: Emulated) -> dict[str, Any]:
        if not re.fullmatch(pattern, value):
            raise ValueError
        return {field: value}

    return read


VALUES: dict[str, Callable[[str, Emulated], dict[str, Any]]] = {
    "geo": _geo,
    "cpu": _cpu,
    "clock": _clock,
    "permission": _permission,
    "timezone": _matching("timezone", r"[A-Za-z0-9_+/-]{1,60}"),
    "locale": _matching("locale", r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*"),
    "javascript": lambda value, _: PLAIN[f"javascript={value}"],
}
