"""Archives of the runs of a batch: with the rows, in the folder of the batch."""

import io
import zipfile

import pytest

from strap.batch import artifacts
from strap.batch.artifacts import ArtifactSelection
from strap.batch.batch import open_batch
from strap.config import load
from tests.support.browser import ANY_BROWSER
from tests.support.model_server import done, scripted

from .lab import KEY, click

pytestmark = pytest.mark.anyio


async def test_runs_of_a_batch_leave_archives(site, tmp_path):
    with scripted(()) as model:
        model.scripts["[buy]"] = (click("Buy"), done("bought"))
        model.scripts["[fail]"] = (done("sold out", success=False),)
        browser = {
            **ANY_BROWSER,
            "model": "openai/scripted",
            "model_url": model.url,
            "model_key": KEY,
        }
        config = load(environ={}, directory=tmp_path, home=tmp_path, plugins={"browser": browser})
        call = {"resource": "browser", "action": "eval", "url": f"{site}/", "mode": "compact"}
        items = [
            {"id": "buy", "task": "[buy]", **call},
            {"id": "../fail", "task": "[fail]", **call},
            {"id": "fetch", "resource": "http", "action": "fetch", "url": f"{site}/"},
        ]
        found = {}
        ends = {"buy": "ok", "../fail": "failed", "fetch": "ok"}
        for which, given in (("all", items[:1]), ("failed", items)):
            folder = tmp_path / which
            async with open_batch(folder, config=config, artifacts=which, retries=0) as batch:
                rows = {row.key: row async for row in batch.run(given)}
            assert {key: row.status for key, row in rows.items()} == {
                item["id"]: ends[item["id"]] for item in given
            }
            found[which] = {key: row.artifact for key, row in rows.items() if row.artifact}
            for artifact in found[which].values():
                packed = zipfile.ZipFile(io.BytesIO((folder / artifact).read_bytes()))
                assert {"run.json", "report.html", "events.jsonl"} <= {*packed.namelist()}
    assert found["all"]["buy"] == "artifacts/buy.zip"
    assert list(found["failed"]) == ["../fail"]
    assert found["failed"]["../fail"].endswith(".zip")
    assert ".." not in found["failed"]["../fail"]


async def test_an_archive_that_is_too_large_is_not_kept(tmp_path, monkeypatch):
    assert ArtifactSelection(which="failed").of_status("failed")
    assert not ArtifactSelection(which="failed").of_status("ok")
    assert not ArtifactSelection().of_status("failed")
    told = await artifacts.with_artifact(tmp_path, "a", {"status": "ok", "archive": b"zip"})
    assert told == {"status": "ok", "artifact": "artifacts/a.zip"}
    assert (tmp_path / "artifacts" / "a.zip").read_bytes() == b"zip"
