"""Sessions in which a page sends a secret in random ways: nothing that strap tells may have it.

The oracle knows nothing of strap's masks: it decodes what is in a file, again and again.
"""

import html
import json
import random
import re
import string
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import Web, callers
from benchmarks.of_wire.overhearing import captions, heard, logged, watched
from tests.plugins.browser.runs.lab import index_before
from tests.plugins.browser.runs.lab import shown as lab_shown
from tests.site.server import Request, serve
from tests.support.model_server import act, done, scripted

SIGNS = string.ascii_letters + string.digits + "-._~!@$*()+/=? &%#\"'<>:;,äß"
SECRETS = 12
BETWEEN, VIDEOS = 20, 4
"""Sessions between two that also have a run of the agent, or a video."""
KEY = "sk-scripted-0123456789"
DEPTH = 2
"""How often something may be encoded in something else."""
PAGE = """<title>Login</title><h1>Login</h1><input aria-label=Key><p></p><script>
document.querySelector("input").oninput = ({target}) => {
  document.querySelector("p").textContent = target.value; console.log(target.value);
}</script>"""
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
    found, outputs, runs = list[str](), Counter[str](), 0
    with (
        serve({"/": PAGE, "/echo": _echo}, folder=folder) as site,
        scripted([_enter, done("sent")]) as model,
        captions() as drawn,
    ):
        known = {name: {"value": v, "origins": [str(site)]} for name, v in values.items()}
        own = {"model": "openai/scripted", "model_url": model.url, "model_key": KEY}
        async with callers(folder, known, **own) as caller, logged() as log:
            for at in range(number):
                name = dice.choice(list(values))
                ways = dice.sample(WAYS, dice.randint(1, 4))
                answers, live = list[str](), list[str]()
                web = heard(caller(f"s{at}"), answers)
                await _session(web, str(site), name, ways, at, live)
                told = {"answers": answers, "live view": live, "log": log.lines}
                told["captions"] = drawn
                if at % BETWEEN == 0:
                    runs += 1
                    await _run(web, str(site), name)
                    told["model"] = [json.dumps(each["messages"]) for each in model.asked]
                    told["run"] = _taken(folder / "home" / "runs")
                told["files"] = _taken(folder / "files")
                for output, texts in told.items():
                    outputs[output] += len(texts)
                    if any(shown(text, values[name]) for text in texts):
                        found.append(f"{output} with {ways}: {values[name]!r}")
                log.lines.clear()
                drawn.clear()
                model.forget()
    table = Table(
        title="Secrets in what is told",
        columns=("sessions", "ways", "runs", *(f"{name}, texts" for name in outputs), "show one"),
    )
    table.rows.append([number, len(WAYS), runs, *outputs.values(), len(found)])
    table.notes += found[:5]
    return table


def _taken(folder: Path) -> list[str]:
    """Return what the files say that are new, pictures and the index apart, and remove some."""
    texts = []
    for file in folder.rglob("*") if folder.is_dir() else ():
        if file.is_file() and file.suffix not in (".png", ".jpeg", ".webm"):
            texts.append(file.read_bytes().decode("utf-8", "replace"))
            if not file.name.startswith("index.db"):
                file.unlink()
    return texts


async def _run(web: Web, site: str, name: str) -> None:
    task = f"Enter {{{{{name}}}}}"
    await web("eval", url=f"{site}/", task=task, mode="dev", budget_s=120)
    listed = await web("list_runs", limit=1)
    session_id = listed.data["runs"][0]["session_id"]  # type: ignore[index]
    await web("get_run_events", session_id=session_id, include_details=True, max_tokens=50_000)


def _enter(body: dict[str, Any]) -> Any:
    """Have the agent enter the secret that its task names."""
    name = re.findall(r"Enter (\{\{key\d+\}\})", json.dumps(body["messages"]))[0]
    return act("input", index=index_before(lab_shown(body), "label=Key"), text=name)


async def _session(
    web: Web, site: str, name: str, ways: list[str], at: int, live: list[str]
) -> None:
    await web("navigate", url=f"{site}/")
    async with watched(web, live):
        video = ",video" if at % VIDEOS == 0 else ""
        await web("record", value=f"har,report{video}", output=f"s{at}")
        await _sent(web, name, ways)
        for action in ("snapshot", "text", "console", "network", "cookies", "screenshot"):
            await web(action, max_tokens=20_000)
        await web("script", value="all", output=f"s{at}.strap")
        await web("record", value="stop")
        await web("close_page")


async def _sent(web: Web, name: str, ways: list[str]) -> None:
    await web("fill", selector="input", value=f"{{{{{name}}}}}")
    sends = "; ".join(f"await ({way})" for way in ways)
    script = f"""const s = document.querySelector('input').value;
    const u64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
    const filled = (form, value) => (form.append('f', value), form);
    {sends}; return 1"""
    await web("evaluate", text=script)


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
