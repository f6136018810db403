"""A front for an IMAP server without log-in: `python imap.py PORT COMMAND…` takes any password."""

import os
import socketserver
import subprocess
import sys

CAPABILITY = b"CAPABILITY IMAP4rev1"


class Session(socketserver.StreamRequestHandler):
    """One connection: the server takes over at the log-in."""

    rbufsize = 0

    def handle(self) -> None:
        self.request.sendall(b"* OK [%s] Ready\r\n" % CAPABILITY)
        while words := self.rfile.readline().split():
            tag, command = words[0], words[1:2]
            if command == [b"LOGIN"]:
                self._serve(tag.decode())
                return
            self.request.sendall(b"* %s\r\n%s OK Done\r\n" % (CAPABILITY, tag))

    def _serve(self, tag: str) -> None:
        # Dovecot answers the log-in itself, under the tag of this variable.
        environ = {**os.environ, "IMAPLOGINTAG": tag}
        pipe = {"stdin": self.request, "stdout": self.request}
        subprocess.run(sys.argv[2:], **pipe, env=environ, check=False)


if __name__ == "__main__":
    with socketserver.ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Session) as server:
        server.serve_forever()
