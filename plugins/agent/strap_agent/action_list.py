"""The actions on runs, in the order in which the tool definition names them.

`actions.json` repeats what they declare, and is what the plugin reads: `python docs/generate.py`.
"""

from strap_agent.actions.runs import AGENT_ACTIONS as ACTIONS

__all__ = ["ACTIONS"]
