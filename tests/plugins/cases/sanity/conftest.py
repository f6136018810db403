"""`strap sanity` as a user calls it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from strap import StrapError
from strap_cases.sanity.command import sanity as command


class Ran:
    """Output and files of one call."""

    def __init__(self, done):
        error = done.exception if isinstance(done.exception, StrapError) else None
        self.status = 2 if error else done.exit_code
        self.out, self.err = done.stdout, str(error or "") or done.stderr
        bundles = sorted(Path(".strap/sanity").glob("*"))
        self.bundle = bundles[-1].absolute() if bundles else None
        path = self.bundle / "results.json" if bundles else None
        self.whole = json.loads(path.read_text()) if path and path.exists() else {}
        self.records = {each["id"]: each for each in self.whole.get("scenarios", ())}


@pytest.fixture(scope="module")
def sanity(tmp_path_factory):
    """Call the command in a folder of its own, in this process unless it is told otherwise."""
    folder = tmp_path_factory.mktemp("sanity")

    def call(*words, **environ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.delenv("SANITY_REAL_CONFIRM", raising=False)
            for name, value in environ.items():
                patch.setenv(name, value)
            is_told = "--through" in words
            through = [] if is_told else ["--through", "python"]
            return Ran(CliRunner().invoke(command, [*words, *through]))

    return call
