"""Records a shell at work: `python docs/recording.py` writes docs/pictures/recording.svg.

The commands are real, on the site that `strap demo` ships, in a session that is kept; what they
print is drawn as it came, with pauses for reading in place of theirs.
"""

import functools
import os
import shlex
import subprocess
import sys
import tempfile
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(__file__).with_name("pictures") / "recording.svg"
SITE = ROOT / "strap" / "mcp" / "demo_site"
PORT = 8321
COMMANDS = (
    "export STRAP_SESSION=guests",
    f"strap call http fetch http://127.0.0.1:{PORT}/about.html",
    "strap call browser launch",
    f"strap call browser navigate http://127.0.0.1:{PORT}/",
    "strap call browser fill ref=e1 value='Ada Lovelace'",
    "strap call browser click ref=e2",
    "strap sessions close",
)
COLUMNS = 92
WIDTH, LINE = 8.0, 19
"""Pixels of a character and of a line."""
READING = 0.35
"""Seconds for a line of an answer."""
TYPING = 0.9
"""Seconds for a command."""
END = 5.0
"""Seconds of the whole picture: who comes sees these first, then it begins anew."""

Shown = list[tuple[float, str, bool]]
"""Lines: when they are there, what they say, whether somebody typed them."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def main() -> None:
    """Record, and write the picture."""
    handler = functools.partial(_Quiet, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", PORT), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory() as home:
            lines = recorded(Path(home))
        server.shutdown()
    TARGET.write_text(drawn(lines), "utf-8")
    sys.stdout.write(f"{TARGET}: {TARGET.stat().st_size:,} bytes\n")


def recorded(home: Path) -> Shown:
    """Run the commands, and return what a person would see and when."""
    own = {"HOME": str(home), "STRAP_NETWORK": "local", "STRAP_HEADLESS": "true"}
    environ = {**os.environ, **own, "STRAP_BROWSER__PORT": "0", "STRAP_LOG": "error"}
    lines: Shown = []
    now = 0.5
    for command in COMMANDS:
        lines.append((now, command, True))
        now += TYPING
        words = shlex.split(command)
        if words[0] == "export":
            environ |= [words[1].split("=")]
            continue
        program = [str(Path(sys.executable).with_name("strap")), *words[1:]]
        done = subprocess.run(  # noqa: S603 - commands of our own
            program, env=environ, cwd=home, capture_output=True, text=True, check=True
        )
        for line in filter(None, done.stdout.splitlines()):
            lines.append((now, line, False))
            now += READING
        now += TYPING
    return lines


def drawn(lines: Shown) -> str:
    """Return a terminal as an SVG that moves, and stands still for who wants that."""
    whole = lines[-1][0] + END
    height = (len(lines) + 2) * LINE + 34
    texts, rules = [], []
    for number, (at, line, typed) in enumerate(lines):
        y = 48 + (number + 1) * LINE
        text = line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"
        words = f'<tspan class="p">$ </tspan>{escape(text)}' if typed else escape(text)
        kind = "t" if typed else "a"
        texts.append(f'<text class="{kind} n{number}" x="16" y="{y}">{words}</text>')
        begin = 100 * at / whole
        shown = f"0%,{begin:.1f}%{{opacity:0}}{begin + 0.4:.1f}%,100%{{opacity:1}}"
        rules.append(
            f"@keyframes k{number}{{{shown}}}"
            f".n{number}{{animation:k{number} {whole:.1f}s {END - whole:.1f}s infinite}}"
        )
    width = (COLUMNS + 2) * WIDTH + 32
    style = (
        "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}"
        ".t{fill:#fff}.a{fill:#c3cfdd}.p{fill:#4ade80}"
        "@media (prefers-reduced-motion:reduce){text{animation:none!important}}"
    )
    dots = "".join(
        f'<circle cx="{22 + 20 * n}" cy="20" r="6" fill="{colour}"/>'
        for n, colour in enumerate(("#f87171", "#fbbf24", "#4ade80"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        'aria-label="A shell in which strap fetches a page, opens it in a browser, fills a form in '
        f'and clicks; each answer says what changed"><style>{style}{"".join(rules)}</style>'
        f'<rect width="100%" height="100%" rx="10" fill="#0f172a"/>{dots}{"".join(texts)}</svg>\n'
    )


if __name__ == "__main__":
    main()
