"""The processes that carry out runs of the agent: the only place that imports browser-use.

strap starts `python -m strap_agent.worker` once: it loads everything and then forks a process for
each run, which is told one task and killed afterwards.
"""
