"""Sessions in which a page sends a secret in random ways: recordings must not have it.

The oracle knows nothing of strap's masks: it decodes what is in a file, again and again.
"""

import html
import json
import random
import re
import string
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import Web, callers
from tests.site.server import Request, serve

SIGNS = string.ascii_letters + string.digits + "-._~!@$*()+/=? &%#\"'<>:;,äß"
SECRETS = 12
DEPTH = 2
"""How often something may be encoded in something else."""
PAGE = "<title>Login</title><h1>Login</h1><input aria-label=Key><p></p>"
WAYS = (
    "fetch('/echo', {method: 'POST', body: s})",
    "fetch('/echo', {method: 'POST', body: JSON.stringify({a: [s, 'x' + s]})})",
    "fetch('/echo', {method: 'POST', body: new URLSearchParams({q: s, 'other': 1})})",
    "fetch('/echo', {method: 'POST', body: filled(new FormData(), s)})",
    "fetch('/echo', {method: 'POST', body: filled(new FormData(), new File([s], 'a.txt'))})",
    "fetch('/echo', {method: 'POST', body: new Blob([new Uint8Array([0, 255, 7]), s])})",
    "fetch('/echo', {method: 'POST', body: u64('user:' + s)})",
    "fetch('/echo', {method: 'POST', body: u64(s + '!')})",
    "fetch('/echo?q=' + encodeURIComponent(s))",
    "fetch('/echo?q=' + encodeURI(s))",
    "fetch('/echo/' + encodeURIComponent(s))",
    "fetch('/echo', {headers: {Authorization: 'Basic ' + u64('me:' + s)}})",
    "fetch('/echo', {headers: {'X-Note': u64(s)}})",
    "(document.cookie = 'k=' + encodeURIComponent(s), fetch('/echo'))",
    "(document.querySelector('p').textContent = s, console.log(s), fetch('/'))",
    "(history.replaceState(null, '', '/?q=' + encodeURIComponent(s)), fetch('/'))",
)


async def measure(bench: Bench, folder: Path) -> Table:
    number, dice = bench.runs(1_000, 40), random.Random(56)
    values = {f"key{at}": _secret(dice) for at in range(SECRETS)}
    found: list[str] = []
    with serve({"/": PAGE, "/echo": _echo}, folder=folder) as site:
        known = {name: {"value": v, "origins": [str(site)]} for name, v in values.items()}
        async with callers(folder, known) as caller:
            for at in range(number):
                name = dice.choice(list(values))
                ways = dice.sample(WAYS, dice.randint(1, 4))
                files = await _session(caller(f"s{at}"), site, name, ways, folder, at)
                for file in files:
                    if shown(file.read_text("utf-8", "replace"), values[name]):
                        found.append(f"{file.suffix} with {ways}: {values[name]!r}")
                    else:
                        file.unlink()
    table = Table(
        title="Secrets in recordings", columns=("sessions", "ways", "files that show one")
    )
    table.rows.append([number, len(WAYS), len(found)])
    table.notes += found[:5]
    return table


async def _session(
    web: Web, site: str, name: str, ways: list[str], folder: Path, at: int
) -> list[Path]:
    await web("navigate", url=f"{site}/")
    await web("record", value=RECORDED, output=f"s{at}")
    await web("fill", selector="input", value=f"{{{{{name}}}}}")
    sends = "; ".join(f"await ({way})" for way in ways)
    script = f"""const s = document.querySelector('input').value;
    const u64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
    const filled = (form, value) => (form.append('f', value), form);
    {sends}; return 1"""
    await web("evaluate", text=script)
    await web("record", value="stop")
    await web("close_page")
    return list((folder / "files").glob(f"s{at}.*"))


RECORDED = "har,report"


def _secret(dice: random.Random) -> str:
    return "".join(dice.choices(SIGNS, k=dice.randint(8, 32))).strip() + "Z9"


def _echo(request: Request) -> Any:
    """Answer what came, as text: answers are recorded, too."""
    return f"{request.path} {request.body.decode('latin-1')}"


def shown(text: str, value: str) -> bool:
    """Whether a text has a value in it, however it is encoded."""
    return any(value in each for each in _decoded(text, DEPTH))


def _decoded(text: str, depth: int) -> Iterator[str]:
    yield text
    if not depth:
        return
    ways = [unquote(text), unquote_plus(text), html.unescape(text), _unescaped(text)]
    for run in re.findall(r"[A-Za-z0-9+/_-]{8,}", text):
        plain = run.replace("-", "+").replace("_", "/")
        for start in range(4):
            part = plain[start:]
            part = part[:-1] if len(part) % 4 == 1 else part
            ways.append(b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "replace"))
    for way in dict.fromkeys(ways):
        if way != text:
            yield from _decoded(way, depth - 1) if len(way) > 8 else ()


def _unescaped(text: str) -> str:
    try:
        return "\n".join(_strings(json.loads(text)))
    except ValueError:
        return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _sign, text)


def _sign(found: re.Match[str]) -> str:
    """Return what an escape of JSON stands for."""
    told = found[1]
    return chr(int(told[1:], 16)) if len(told) > 1 else {"n": "\n", "t": "\t"}.get(told, told)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
