"""What browser-use is installed with."""

from strap import Extra

AGENT = Extra(name="agent", modules=("browser_use",), apart=True)
