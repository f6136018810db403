"""Additions of strap's relay to the DevTools protocol, for tabs that a user granted."""

HOLD_TABS = "Strap.holdTabs"
"""A command, with `on`: the tabs are to be for the client's process alone, or no more."""
STATUS = "Strap.getStatus"
"""A command: what strap's other processes ask the one that hosts the relay."""
KEPT = -32050
"""The code of what is refused while they are another process's."""
PARTY = "Strap-Party"
"""The header by which the clients of one process are told from those of others."""
