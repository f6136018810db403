"""All actions, in the order in which the tool definition names them: what is used most first.

`actions.json` repeats what they declare, and is what the plugin reads: `python docs/generate.py`.
"""

from collections.abc import Callable
from typing import Any

from strap_browser.actions.audit.audit import audit
from strap_browser.actions.batch import batch
from strap_browser.actions.browser import close, launch, list_pages, status
from strap_browser.actions.capture import pdf, screenshot
from strap_browser.actions.cookies import cookies
from strap_browser.actions.dialog import dialog
from strap_browser.actions.elements.click import click, hover
from strap_browser.actions.elements.drag import drag
from strap_browser.actions.elements.fill import fill, type_
from strap_browser.actions.elements.press import press
from strap_browser.actions.elements.scroll import scroll
from strap_browser.actions.elements.select import select
from strap_browser.actions.elements.upload import upload
from strap_browser.actions.evaluate import evaluate
from strap_browser.actions.login_state import setup_state
from strap_browser.actions.markup.extract import extract
from strap_browser.actions.markup.render import render
from strap_browser.actions.navigate import back, forward, navigate, reload
from strap_browser.actions.observe import snapshot, text
from strap_browser.actions.page_tools import tools
from strap_browser.actions.pages import close_page, new_page, resize
from strap_browser.actions.records.console import console
from strap_browser.actions.records.downloads import downloads
from strap_browser.actions.records.network import network
from strap_browser.actions.traffic.emulate import emulate
from strap_browser.actions.traffic.mock import mock
from strap_browser.actions.traffic.record import record
from strap_browser.actions.wait import wait

ACTIONS: tuple[Callable[..., Any], ...] = (
    *(status, launch, close, list_pages),
    *(navigate, snapshot, click, fill, type_, screenshot, text, evaluate, extract),
    *(wait, back, forward, reload, dialog, new_page, close_page, resize),
    *(scroll, hover, select, press, drag, upload),
    *(
        downloads,
        console,
        network,
        mock,
        emulate,
        record,
        cookies,
        pdf,
        setup_state,
        batch,
        audit,
        render,
        tools,
    ),
)
