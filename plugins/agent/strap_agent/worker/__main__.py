"""Entry of the process that forks the workers."""

import socket
import sys

from strap_agent.worker import fork_server


def main() -> None:
    """Load everything; then fork a worker for each channel that comes over the control socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    fork_server.preload(sys.argv[2:])
    fork_server.serve(control)


if __name__ == "__main__":
    main()
