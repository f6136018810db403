"""The helper of the probe: a process that echoes; it notes its id in the file `pids`."""

import os
from subprocess import PIPE, Popen

ECHO = """import os, sys
print(os.getpid(), file=open(sys.argv[1], "a"), flush=True)
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(b"echo of " + line)
    sys.stdout.flush()"""


class Echo(Popen):
    def abandon(self):
        self.kill()
        self.wait()


def start(fields, program, pids):
    if fields.get("words") == "nothing to be done":
        return None
    return Echo((program, "-c", ECHO, pids), stdin=PIPE, stdout=PIPE, bufsize=0, env=os.environ)
