"""Extra that installs browser-use."""

from strap import Extra

AGENT = Extra(name="agent", modules=("browser_use",), apart=True)
