"""The server over streamable HTTP."""
