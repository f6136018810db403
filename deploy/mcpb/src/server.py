"""The server in the bundle: hosts run it with uv, which installs `strap-web` first."""

import sys

from strap.__main__ import main

sys.argv[1:] = ["serve"]
main()
