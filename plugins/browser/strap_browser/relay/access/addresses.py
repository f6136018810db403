"""Host and paths of the relay."""

HOST = "127.0.0.1"
CDP = "/relay/cdp"
EXTENSION = "/relay/extension"
IDENTITY = "/relay/identity"
