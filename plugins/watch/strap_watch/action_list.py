"""The action on watches.

`actions.json` repeats what it declares, and is what the plugin reads: `python docs/generate.py`.
"""

from strap_watch.action import watch

ACTIONS = (watch,)
