"""Policies for tasks of MiniWoB++, which see snapshots and answer with `web` calls."""
