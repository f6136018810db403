"""The MCP adapter: handshake front, stdio, streamable HTTP. The only importer of the MCP SDK."""
