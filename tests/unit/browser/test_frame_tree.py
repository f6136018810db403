"""The frames of a page, from events in whatever order a browser sends them."""

import pytest

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.frames.frame import World
from strap_browser.engine.frames.frame_tree import FrameTree


@pytest.fixture
def page():
    return CdpSession(None, "page")


@pytest.fixture
def tree(page):
    made = FrameTree("main", page, World(name="world", has_script=True))
    made.follow(page)
    return made


def document(frame, url, loader):
    return {"id": frame, "parentId": "main", "loaderId": loader, "url": url}


def test_a_tree_that_was_asked_for_before_a_document_came_does_not_undo_it(tree, page):
    page.take("Page.frameAttached", {"frameId": "inner", "parentFrameId": "main"})
    other = CdpSession(None, "other")
    tree.adopt("inner", "main", other, is_new=True)
    tree.follow(other)
    other.take("Page.frameNavigated", {"frame": document("inner", "http://far.test/", "L2")})
    tree.take(other, {"frame": document("inner", "", "L1")})
    page.take("Page.frameDetached", {"frameId": "inner", "reason": "swap"})
    inner = tree.find("inner")
    assert (inner.url, inner.loader, inner.session) == ("http://far.test/", "L2", other)


def test_a_tree_tells_of_what_no_event_told(tree, page):
    told = {"frame": {"id": "main", "loaderId": "L1", "url": "http://near.test/"}}
    told["childFrames"] = [{"frame": document("inner", "http://near.test/in", "L2")}]
    tree.take(page, told)
    assert [frame.url for frame in tree.all()] == ["http://near.test/", "http://near.test/in"]
