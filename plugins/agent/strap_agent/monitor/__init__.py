"""What the pages of a run do, seen from outside the agent."""
