"""The action on scripts.

`actions.json` repeats what it declares, and is what the plugin reads: `python docs/generate.py`.
"""

from strap_script.action import script
from strap_script.heal import heal
from strap_script.login import login
from strap_script.record_person import record_person

ACTIONS = (script, heal, login, record_person)
