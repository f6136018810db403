"""Sessions in which secrets are entered in all ways, and the files that are written of them."""

import random
import string
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_scripts.sessions import Web, call, opened
from strap import Caller
from tests.site.server import serve

SEED = 55
FIELDS = {
    "password": "<input type=password name=pw aria-label=Password>",
    "new password": "<input type=password autocomplete=new-password aria-label=Repeat>",
    "code": "<input autocomplete=one-time-code name=otp aria-label=Code>",
    "shown password": "<input type=password id=eye aria-label=Secret><button type=button "
    "onclick=\"eye.type = 'text'\">Show</button>",
    "named secret": "<input name=token aria-label=Token>",
}
"""Fields that hold secrets, and those that only a named one goes to."""
FORMS = {"strap": "s.strap", "pytest": "s.py", "typescript": "s.spec.ts", "case": "s.case.md"}
NAMED = "named-9f27c1"


async def measured(bench: Bench, folder: Path) -> Table:
    """Enter secrets, write all formats, and count the files that have one of them."""
    number, dice, leaks, files = bench.runs(1_000, 20), random.Random(SEED), list[str](), 0
    page = "<!doctype html><title>Form</title><form onsubmit='return false'>"
    page += "".join(f"<p>{field}" for field in FIELDS.values()) + "<button>Send</button></form>"
    with serve({"/": page}) as site:
        secrets = {"token": {"value": NAMED, "origins": [str(site)]}}
        async with opened(folder, secrets=secrets) as router:
            for session in range(number):
                web = partial(router.call, caller=Caller(session=str(session)))
                entered = [text async for text in _session(web, str(site), dice)]
                for form, name in FORMS.items():
                    await call(web, "script", value=form, output=f"{session}/{name}")
                await call(web, "close")
                for path in _files(folder / str(session)):
                    files += 1
                    content = path.read_text("utf-8")
                    leaks += [f"{path.name}: {text}" for text in entered if text in content]
    return Table(
        title=f"{number} sessions in which secrets were entered",
        columns=("sessions", "files", "secrets in them"),
        rows=[[number, files, len(leaks)]],
        notes=leaks[:10],
    )


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


async def _session(web: Web, site: str, dice: random.Random) -> Any:
    """Do some of all that can be done with the fields; yields each secret that was entered."""
    await call(web, "navigate", url=site)
    for kind in dice.sample(sorted(FIELDS), dice.randint(1, len(FIELDS))):
        label = FIELDS[kind].rpartition("aria-label=")[2].partition(">")[0]
        ref = f'textbox "{label}"'
        text = "".join(dice.choices(string.ascii_letters + string.digits + " -_{}'\"", k=14))
        if kind == "named secret":
            await call(web, "fill", ref=ref, value="{{token}}")
            yield NAMED
            continue
        if kind == "shown password" and dice.random() < 0.5:
            await call(web, "fill", ref=ref, value=text)
            await call(web, "click", ref='button "Show"')
        elif dice.random() < 0.5:
            await call(web, "type", ref=ref, text=text)
        else:
            await call(web, "fill", ref=ref, value=text)
        yield text
    await call(web, "click", ref='button "Send"')
