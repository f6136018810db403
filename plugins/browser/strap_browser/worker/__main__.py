"""Entry of the process that forks the workers."""

import socket
import sys

from strap_browser.worker import nursery


def main() -> None:
    """Load everything; then fork a worker for each channel that comes over the control socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    nursery.preload(sys.argv[2:])
    nursery.serve(control)


if __name__ == "__main__":
    main()
