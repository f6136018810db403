"""Scripts of browser sessions: written from what was called, exported, played."""
