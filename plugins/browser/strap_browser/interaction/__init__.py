"""Functions that the actions on a page share.

It is imported on first use (PEP 562): actions are declared wherever the tool is listed, and carried
out only where a browser is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strap_browser.interaction.actionability import FOCUSINGS as FOCUSINGS
    from strap_browser.interaction.actionability import blocked as blocked
    from strap_browser.interaction.actionability import strays as strays
    from strap_browser.interaction.actionability import wait_actionable as wait_actionable
    from strap_browser.interaction.confirmation import confirm_elements as confirm_elements
    from strap_browser.interaction.confirmation import confirm_keys as confirm_keys
    from strap_browser.interaction.confirmation import confirm_page as confirm_page
    from strap_browser.interaction.effects import Effects as Effects
    from strap_browser.interaction.effects import place_reached as place_reached
    from strap_browser.interaction.element import called as called
    from strap_browser.interaction.element import ref_of as ref_of
    from strap_browser.interaction.element import stale as stale
    from strap_browser.interaction.elements import ask as ask
    from strap_browser.interaction.elements import clean_ref as clean_ref
    from strap_browser.interaction.elements import ensure_there as ensure_there
    from strap_browser.interaction.elements import find_again as find_again
    from strap_browser.interaction.elements import find_element as find_element
    from strap_browser.interaction.elements import find_key_target as find_key_target
    from strap_browser.interaction.elements import handle_of as handle_of
    from strap_browser.interaction.elements import is_ref_or_target as is_ref_or_target
    from strap_browser.interaction.elements import is_target as is_target
    from strap_browser.interaction.elements import part_of as part_of
    from strap_browser.interaction.elements import resolve as resolve
    from strap_browser.interaction.flow.sends import check_giving as check_giving
    from strap_browser.interaction.flow.sends import check_going as check_going
    from strap_browser.interaction.keys import chords as chords
    from strap_browser.interaction.keys import holding_keys as holding_keys
    from strap_browser.interaction.keys import modifiers as modifiers
    from strap_browser.interaction.page_state import PageState as PageState
    from strap_browser.interaction.page_state import page_state_of as page_state_of
    from strap_browser.interaction.pointer import box_of as box_of
    from strap_browser.interaction.pointer import hit_point as hit_point
    from strap_browser.interaction.pointer import middle as middle
    from strap_browser.interaction.pointer import move_mouse as move_mouse
    from strap_browser.interaction.pointer import point_from as point_from
    from strap_browser.interaction.response import ERROR_PAGE as ERROR_PAGE
    from strap_browser.interaction.response import add_page as add_page
    from strap_browser.interaction.response import captcha_told as captcha_told
    from strap_browser.interaction.response import response_for as response_for
    from strap_browser.interaction.response import status_of as status_of
    from strap_browser.interaction.response import tools_told as tools_told
    from strap_browser.interaction.secret_values import resolve_secrets as resolve_secrets
    from strap_browser.interaction.settle import Settled as Settled
    from strap_browser.interaction.settle import Settler as Settler
    from strap_browser.interaction.settle import next_frames_drawn as next_frames_drawn
    from strap_browser.interaction.targets.finding import is_target_shown as is_target_shown
    from strap_browser.interaction.targets.finding import read_target as read_target
    from strap_browser.interaction.use_page import end_script as end_script
    from strap_browser.interaction.use_page import peek_page as peek_page
    from strap_browser.interaction.use_page import using_page as using_page

_MODULES = {
    "actionability": "FOCUSINGS blocked strays wait_actionable",
    "confirmation": "confirm_elements confirm_keys confirm_page",
    "effects": "Effects place_reached",
    "element": "called ref_of stale",
    "elements": "ask clean_ref ensure_there find_again find_element find_key_target"
    " handle_of is_ref_or_target is_target part_of resolve",
    "flow.sends": "check_giving check_going",
    "keys": "chords holding_keys modifiers",
    "page_state": "PageState page_state_of",
    "pointer": "box_of hit_point middle move_mouse point_from",
    "response": "ERROR_PAGE add_page captcha_told response_for status_of tools_told",
    "secret_values": "resolve_secrets",
    "settle": "Settled Settler next_frames_drawn",
    "targets.finding": "is_target_shown read_target",
    "use_page": "end_script peek_page using_page",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
