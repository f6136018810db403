"""A user's Chromium with the extension, and what a user does there."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from strap_browser.cdp.connection import CdpConnection
from strap_browser.cdp.errors import CdpError
from strap_browser.chromium.executables import find_executable
from strap_browser.chromium.singleton_lock import Singleton
from strap_browser.relay.access.extension_id import extension_id, folder
from tests.support.chromium import LEAN

LIMIT = 20.0
SWITCHES = (
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    f"{LEAN},DialMediaRouteProvider,DisableLoadExtensionCommandLineSwitch",
    "--disable-sync",
    "--mute-audio",
    "--password-store=basic",
    "--remote-debugging-port=0",
    "--window-size=1280,800",
)


class Chromium:
    """A running browser; `cdp` is the test's own way in, which the extension does not see."""

    def __init__(self, cdp: CdpConnection, process: asyncio.subprocess.Process) -> None:
        self.cdp = cdp
        self.process = process
        self.origin = f"chrome-extension://{extension_id()}"

    async def targets(self) -> list[dict[str, Any]]:
        answer = await self.cdp.call("Target.getTargets", filter=[{}])
        return list(answer["targetInfos"])

    async def target(self, matches: Callable[[dict[str, Any]], bool]) -> str:
        """The id of the first target that matches, once there is one."""
        async with asyncio.timeout(LIMIT):
            while True:
                for info in await self.targets():
                    if matches(info):
                        return str(info["targetId"])
                await asyncio.sleep(0.05)

    @asynccontextmanager
    async def session(self, target_id: str) -> AsyncIterator[str]:
        """A session with one target, for as long as it is needed."""
        answer = await self.cdp.call("Target.attachToTarget", targetId=target_id, flatten=True)
        try:
            yield str(answer["sessionId"])
        finally:
            with suppress(CdpError):
                await self.cdp.call("Target.detachFromTarget", sessionId=answer["sessionId"])

    async def run(self, target_id: str, expression: str, limit: float = LIMIT) -> Any:
        """The value of an expression in a target; promises are awaited."""
        async with self.session(target_id) as session:
            answer = await self.cdp.call(
                "Runtime.evaluate",
                session,
                limit=limit,
                expression=expression,
                awaitPromise=True,
                returnByValue=True,
                userGesture=True,
            )
        if "exceptionDetails" in answer:
            raise AssertionError(json.dumps(answer["exceptionDetails"])[:1000])
        return answer["result"].get("value")

    async def open(self, url: str, **options: Any) -> str:
        """Open a tab as the user and return its target's id."""
        return str((await self.cdp.call("Target.createTarget", url=url, **options))["targetId"])

    async def close(self, target_id: str) -> None:
        """Close a tab as the user."""
        await self.cdp.call("Target.closeTarget", targetId=target_id)

    async def close_tabs(self) -> None:
        """Close all tabs but those of the extension; one blank tab keeps the window."""
        pages = [info for info in await self.targets() if info["type"] == "page"]
        await self.open("about:blank")
        for info in pages:
            if not info["url"].startswith(self.origin):
                await self.close(info["targetId"])
        async with asyncio.timeout(LIMIT):
            while await self.granted():  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def granted(self) -> list[int]:
        """The numbers of the tabs that are shared."""
        stored = await self.in_worker("chrome.storage.session.get({granted: []})")
        return list(stored["granted"])

    async def goto(self, target_id: str, url: str) -> None:
        """Go to an address as the user who types it."""
        async with self.session(target_id) as session:
            await self.cdp.call("Page.navigate", session, limit=LIMIT, url=url)

    async def worker(self) -> str:
        """The target of the extension's service worker, which is woken where it sleeps."""
        found = [info for info in await self.targets() if self._is_worker(info)]
        if not found:
            await self.wake()
        worker = await self.target(self._is_worker)
        await self.until(worker, "self.chrome?.action?.onClicked.hasListeners()")
        return worker

    async def in_worker(self, expression: str) -> Any:
        return await self.run(await self.worker(), expression)

    async def wake(self) -> None:
        """Wake the worker by an event: a page of the extension says something."""
        page = await self.options()
        await self.run(page, "chrome.runtime.sendMessage({type: 'nothing'}).catch(() => 0)")

    async def put_to_sleep(self) -> None:
        """Stop the worker, as Chrome does when it is idle."""
        await self.in_worker("globalThis.old = true")
        await self.cdp.call("Target.closeTarget", targetId=await self.worker())
        async with asyncio.timeout(LIMIT):
            while await self._old():  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def reload_extension(self) -> None:
        """Reload the extension, as after an update; Chrome does so in developer mode only."""
        mode = "chrome.developerPrivate.updateProfileConfiguration({inDeveloperMode: true})"
        extensions = await self.open("chrome://extensions/")
        await self.until(extensions, f"chrome.developerPrivate && {mode}.then(() => true)")
        old = await self.worker()
        await self.in_worker("setTimeout(() => chrome.runtime.reload(), 50); 0")
        await self.target(lambda info: self._is_worker(info) and info["targetId"] != old)
        await self.close(extensions)

    async def click_toolbar(self, target_id: str) -> int:
        """Click the extension's button while this tab is in front; returns the tab's id."""
        clicked = await self.in_worker(
            "(async () => { const all = await chrome.debugger.getTargets();"
            f"const {{ tabId }} = all.find((target) => target.id === '{target_id}');"
            "chrome.action.onClicked.dispatch(await chrome.tabs.get(tabId)); return tabId; })()"
        )
        return int(clicked)

    async def options(self) -> str:
        """The target of the options page, opened if it is not."""
        url = f"{self.origin}/options.html"
        if not any(info["url"] == url for info in await self.targets()):
            await self.open(url, background=True)
        page = await self.target(lambda info: info["url"] == url)
        await self.until(page, "document.getElementById('state')?.textContent")
        return page

    async def pair(self, secret: str, port: int) -> None:
        """Fill in the form of the options page and send it off."""
        page = await self.options()
        await self.run(
            page,
            f"secret.value = {json.dumps(secret)}; port.value = {json.dumps(str(port))};"
            "save.click()",
        )

    async def until(self, target_id: str, condition: str) -> None:
        """Wait until an expression is true in a target."""
        async with asyncio.timeout(LIMIT):
            while not await self.run(target_id, condition):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def _old(self) -> bool:
        """Whether the worker that was to sleep still runs; an event may have woken the next."""
        for info in await self.targets():
            if self._is_worker(info):
                try:
                    return bool(await self.run(info["targetId"], "globalThis.old", limit=1))
                except CdpError:  # it is on its way out
                    return True
        return False

    def _is_worker(self, info: dict[str, Any]) -> bool:
        return info["type"] == "service_worker" and info["url"].startswith(self.origin)


@asynccontextmanager
async def running(data: Path, switches: Iterable[str] = ()) -> AsyncIterator[Chromium]:
    """A browser on a fresh profile; nothing is paired."""
    extension = f"--load-extension={folder()}"
    address = data / "DevToolsActivePort"
    address.unlink(missing_ok=True)  # of an earlier one on the same profile
    command = [str(find_executable()), *SWITCHES, f"--user-data-dir={data}", extension, *switches]
    process = await asyncio.create_subprocess_exec(
        *command,
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        cdp = await CdpConnection.connect(await _address(address))
        try:
            yield Chromium(cdp, process)
        finally:
            with suppress(CdpError):
                await cdp.call("Browser.close", limit=2)
            await cdp.aclose()
    finally:
        await _end(process)
        Singleton(data).remove()  # what is killed leaves a temporary folder


async def _address(file: Path) -> str:
    async with asyncio.timeout(LIMIT):
        while True:
            with suppress(OSError, ValueError):
                port, path = file.read_text().split()  # noqa: ASYNC240
                return f"ws://127.0.0.1:{port}{path}"
            await asyncio.sleep(0.05)


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(3):
            await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
