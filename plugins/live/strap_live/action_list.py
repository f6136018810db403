"""The action of the live view.

`actions.json` repeats what it declares, and is what the plugin reads: `python docs/generate.py`.
"""

from strap_live.action import live

ACTIONS = (live,)
