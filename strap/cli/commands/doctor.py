"""`strap doctor`."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from strap.api.extras import Diagnosis
from strap.cli.doctor import examine
from strap.cli.options import read_config, settings_options
from strap.errors import UsageError
from strap.text import counted


@click.command("doctor")
@settings_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--mend", type=click.Path(path_type=Path, dir_okay=False), help="Make a cut recording whole."
)
def command(as_json: bool, mend: Path | None, **settings: Any) -> None:
    """Tell what is there, what is missing, and what mends it."""
    if mend is not None:
        _mend(mend)
        return
    diagnoses = list(examine(lambda: read_config(settings)))
    sound = all(line.ok for line in diagnoses)
    if as_json:
        report = {"ok": sound, "findings": [asdict(line) for line in diagnoses]}
        click.echo(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        _show(diagnoses)
    sys.exit(0 if sound else 1)


def _mend(file: Path) -> None:
    """Make a recording valid that was killed while it was written."""
    from strap.evidence.appended_file import mend

    try:
        number = mend(file)
    except OSError as error:
        raise UsageError(f"{str(file)!r} cannot be mended: {error.strerror}.") from None
    click.echo(f"{file} is valid, and has {counted(number, 'entry', 'entries')}.")


def _show(diagnoses: Sequence[Diagnosis]) -> None:
    for line in diagnoses:
        click.echo(f"{_word(line):8} {line.subject}: {line.detail}")
        if line.fix:
            click.echo(f"         → {line.fix}")
    words = Counter(map(_word, diagnoses))
    verdict = "strap is ready to use."
    if words["FAIL"]:
        verdict = f"{words['FAIL']} of {len(diagnoses)} checks failed: see FAIL above."
    if words["optional"]:
        verdict += f" Optional parts that are not set up: {words['optional']}."
    click.echo(verdict)


def _word(line: Diagnosis) -> str:
    if not line.ok:
        return "FAIL"
    return "optional" if line.fix else "ok"
