"""The port of live views that nobody watches any more."""

import pytest

from strap import Guard
from strap_browser.pages.call_log import CallLog
from strap_browser.settings.live import LiveSettings
from strap_live.admission import Grant
from strap_live.view import LiveView

from .watcher import knocking, watching

pytestmark = pytest.mark.anyio


def empty_view(home):
    guard = Guard("local")
    return LiveView(LiveSettings(), guard, {}, tuple, CallLog(), home, lambda _: guard)


async def test_a_link_that_is_asked_for_as_the_port_is_to_close_is_good(tmp_path):
    view = empty_view(tmp_path)
    await view.link(Grant(role="control"))
    view._expire()
    async with watching(await view.link(Grant(role="control"))):
        pass
    await view.aclose()


async def test_nothing_listens_any_more_when_all_views_are_closed(tmp_path):
    view = empty_view(tmp_path)
    async with watching(await view.link(Grant(role="control"))) as viewer:
        port = viewer.socket.remote_address[1]
        await viewer.send(type="close_views")
        await viewer.socket.wait_closed()
    await view.ended.wait()
    await view.aclose()
    with pytest.raises(OSError, match=str(port)):
        async with knocking(port):
            pass
