"""How a browser is had: strap launches it, somebody else runs it, or it is the user's own."""
