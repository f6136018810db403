"""`strap test` as a user calls it, with a scripted model and a real browser."""

import json

import pytest
from click.testing import CliRunner

from benchmarks.of_cases.engines import run
from strap import Config, open_router
from strap_cases.command import test as command
from strap_cases.reading import read_cases
from strap_cases.running.configuring import for_cases
from strap_cases.running.engine import Options
from tests.site.server import serve
from tests.support.browser import ANY_BROWSER
from tests.support.model_server import scripted

from .shop import SCRIPTS, Shop

CHANNEL = f"channel = {json.dumps(ANY_BROWSER['channel'])}" if ANY_BROWSER["channel"] else ""
CONFIG = f"""
[plugins.browser]
headless = true
{CHANNEL}
model = "openai/scripted"
model_url = "{{model}}"
model_key = "sk-scripted-0123456789"
[secrets.shop]
value = "correct-horse"
origins = ["{{site}}"]
"""


@pytest.fixture(scope="package")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def shop():
    opened = Shop()
    with serve(opened.routes) as site:
        opened.site = site
        yield opened


@pytest.fixture(scope="module")
def model():
    with scripted(()) as opened:
        opened.scripts.update(SCRIPTS)
        yield opened


class Tested:
    """Output and journal of one run of `strap test`."""

    def __init__(self, done, folder):
        self.status, self.out, self.err = done.exit_code, done.stdout, done.stderr
        self.lines = self.out.splitlines()
        journal = folder / ".strap" / "test" / "journal.jsonl"
        records = journal.read_text().splitlines() if journal.exists() else ()
        self.records = {record["name"]: record for record in map(json.loads, records)}
        self.error = done.exception

    def of(self, name):
        """The status of a case and why, with its flags."""
        record = self.records[name]
        return record["status"], record["reason"], record["flags"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, shop, model):
    made = tmp_path_factory.mktemp("project")
    (made / "strap.toml").write_text(CONFIG.format(model=model.url, site=shop.site))
    return made


@pytest.fixture(scope="module")
def strap_test(folder, shop):
    """Call `strap test` in the folder of a project, with files written into it."""

    def call(*words, **files):
        for name, text in files.items():
            (folder / f"{name}.case.md").write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.delenv("CI", raising=False)
            done = CliRunner().invoke(command, ["--base-url", str(shop.site), *words])
        return Tested(done, folder)

    return call


@pytest.fixture(scope="module")
async def play(folder, shop):
    """Run cases of a file as `strap test` does, with one browser and one agent for all calls."""
    config = Config.load(file=str(folder / "strap.toml"), network="local")

    async def call(text, part="", **options):
        path = folder / "played.case.md"
        path.write_text(text)
        cases = read_cases([path], base_url=str(shop.site))
        chosen = [case for case in cases if part in case.name]
        return await run(router, chosen, Options(**{"replay": "auto"} | options))

    async with open_router(config=for_cases(config, folder / "data", jobs=1)) as router:
        yield call
