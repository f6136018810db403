"""Work of a length that a page decides: in a thread, without the collector stirring meanwhile."""

import gc
import json
import threading

import pytest

from strap_browser.common.beside import LONG, beside, read_json

pytestmark = pytest.mark.anyio


async def test_what_is_large_is_done_in_a_thread_without_the_collector():
    def seen():
        return threading.current_thread(), gc.isenabled()

    assert await beside(seen, large=False) == (threading.current_thread(), True)
    thread, collects = await beside(seen, large=True)
    assert (thread is threading.current_thread(), collects) == (False, False)
    assert gc.isenabled()


async def test_collector_is_on_again_whatever_happens_and_stays_off_where_it_was():
    def inner():
        return [*json.loads("[1]"), gc.isenabled()]

    def outer():
        read_json(f'["{"x" * LONG}"]')
        assert not gc.isenabled()  # one that ends does not wake it for the others
        return inner()

    assert await beside(outer, large=True) == [1, False]
    with pytest.raises(ZeroDivisionError):
        await beside(lambda: 1 // 0, large=True)
    with pytest.raises(ValueError, match="delimiter"):
        read_json("[" + " " * LONG + "1")
    assert gc.isenabled()
    gc.disable()
    try:
        await beside(inner, large=True)
        assert not gc.isenabled()
    finally:
        gc.enable()
