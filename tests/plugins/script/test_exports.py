"""Tests that are written of a session: they run alone, without strap."""

import json
import os
import subprocess
import sys

import pytest
from anyio import to_thread

from strap import Call, Caller, Config
from strap_browser.actions.navigate import Navigate
from strap_browser.chromium.executables import find_executable
from strap_browser.pages.call_log import CallerNotes, CallNote, Evidence
from strap_script.formats.exporting import export
from strap_script.recording import record_calls
from tests import node

from .conftest import buy

pytestmark = pytest.mark.anyio
TYPESCRIPT = "7.0.2"
TYPES = """\
declare const process: { env: Record<string, string | undefined> };
declare module "@playwright/test" {
  interface Named { name?: string | RegExp; exact?: boolean; level?: number }
  interface Locator {
    getByRole(role: string, options?: Named): Locator;
    getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
    getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
    filter(options: { hasText?: string; visible?: boolean }): Locator;
    locator(selector: string): Locator;
    and(other: Locator): Locator;
    nth(index: number): Locator;
    first(): Locator;
    click(options?: { button?: "right" | "middle"; delay?: number }): Promise<void>;
    fill(value: string): Promise<void>;
    selectOption(value: string | string[]): Promise<string[]>;
  }
  interface Answer { url(): string; request(): { method(): string } }
  interface Page extends Locator {
    goto(url: string): Promise<unknown>;
    waitForResponse(condition: (answer: Answer) => boolean): Promise<Answer>;
  }
  interface Expected { toBeVisible(): Promise<void>; toHaveURL(url: RegExp): Promise<void> }
  export const expect: (what: Page | Locator) => Expected;
  export const test: (name: string, body: (given: { page: Page }) => Promise<void>) => void;
}
"""
RUNNER = """\
import pytest
from playwright.sync_api import sync_playwright


@pytest.fixture
def page():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=%r, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()
"""


async def test_the_pytest_is_green_without_strap(page, site, tmp_path):
    await buy(page, site)
    await page("script", value="pytest", output="test_buy.py")
    folder = tmp_path / "files"
    written = (folder / "test_buy.py").read_text("utf-8")
    assert "import strap" not in written
    assert "correct horse" not in written
    (folder / "conftest.py").write_text(RUNNER % str(find_executable()), "utf-8")
    del site.requests[:]
    ran = await to_thread.run_sync(run_pytest, folder, {"PASSWORD": "correct horse"})
    assert ran.returncode == 0, ran.stdout
    posted = [r.body.decode() for r in site.requests if r.method == "POST"]
    assert posted == ["mail=ada%40example.org&secret=correct+horse", '{"note":"ring twice"}']


async def test_the_pytest_fails_where_the_effect_does_not_come(page, site, tmp_path):
    await buy(page, site)
    await page("script", value="pytest", output="test_buy.py")
    folder = tmp_path / "files"
    text = (folder / "test_buy.py").read_text("utf-8")
    (folder / "test_buy.py").write_text(text.replace("Thank you", "No thanks"), "utf-8")
    (folder / "conftest.py").write_text(RUNNER % str(find_executable()), "utf-8")
    ran = await to_thread.run_sync(run_pytest, folder, {"PASSWORD": "x"})
    assert ran.returncode == 1
    assert "No thanks" in ran.stdout


async def test_the_typescript_has_the_right_types(page, site, tmp_path):
    await buy(page, site)
    written = await page("script", value="typescript")
    folder = tmp_path / "typed"
    folder.mkdir()
    (folder / "buy.spec.ts").write_text(written, "utf-8")
    (folder / "types.d.ts").write_text(TYPES, "utf-8")
    options = {"strict": True, "noEmit": True, "target": "es2022", "module": "es2022"}
    (folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": {**options, "types": []}}), "utf-8"
    )
    tsc = await to_thread.run_sync(node.installed, "typescript", TYPESCRIPT, "bin/tsc")
    checked = await to_thread.run_sync(node.run, [*tsc, "-p", str(folder)], folder)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    for line in (
        '("row").filter({ hasText: "Rake" }).getByRole("button", { name: "Add", exact',
        "const PASSWORD = needed('PASSWORD');",
        'await page.locator("[name=\\"secret\\"]").fill(PASSWORD);',
    ):
        assert line in written


async def test_the_case_is_read_by_strap_test(page, site, tmp_path):
    await buy(page, site)
    await page("script", value="case", output="buy.case.md")
    path = tmp_path / "files" / "buy.case.md"
    command = [sys.executable, "-m", "strap", "test", "--check", str(path)]
    ran = await to_thread.run_sync(run_command, command, tmp_path, {})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    text = path.read_text("utf-8")
    assert '4. Click button "Sign in".\n   - `url /home`\n   - `text "Welcome"`' in text


def noted(url):
    call = Call(
        resource="browser",
        action="navigate",
        effect="write",
        params=Navigate(url=url),
        caller=Caller(transport="python"),
    )
    note = CallNote(call=call, profile="nebo", key="me")
    note.end("Opened.")
    return note


@pytest.mark.parametrize("form", ["strap", "pytest", "typescript", "case"])
def test_each_form_says_that_earlier_calls_are_not_kept(form):
    notes = [noted("http://shop.example/home")]
    made = record_calls(notes, keep_all=False, secrets=Config.load().secrets, dropped=1_234)
    assert "; 1,234 earlier calls not kept" in export(made, form)


def test_a_session_keeps_as_much_as_it_says():
    known = CallerNotes()
    for number in range(1_000):
        known.add(note := noted(f"http://shop.example/{number}"))
        # It is looked up while the next call is on its way.
        note.evidence["e1"] = Evidence(raw="e1", name="n" * 80, marks={"testid": "t" * 1_000})
    kept = sum(len(repr(note.evidence)) for note in known.notes)
    assert 256 * 1024 < kept < 512 * 1024
    assert known.dropped == 1_000 - len(known.notes)


def run_pytest(folder, values):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_buy.py"]
    return run_command([*command, "--rootdir", str(folder)], folder, values)


def run_command(command, folder, values):
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("STRAP_", "PYTEST"))}
    return subprocess.run(
        command,
        cwd=folder,
        env={**environ, **values},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("value", "call"),
    [("pytest", "click(click_count={})"), ("typescript", "click({{ clickCount: {} }})")],
)
async def test_clicks_are_counted(page, site, value, call):
    await page("navigate", url=f"{site}/login")
    await page("click", selector="h1", value="double")
    await page("click", selector="h1", value="triple")
    written = await page("script", value=value)
    assert [call.format(count) in written for count in (2, 3)] == [True, True], written
