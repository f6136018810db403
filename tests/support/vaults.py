"""Stand-ins for the commands of vaults: programs with their real words, files and failures."""

import stat
import sys
from pathlib import Path

PROGRAMS = {
    "op": """
if args[:1] != ["read"]: fail(1, "[ERROR] unknown command")
if LOCKED: fail(1, "[ERROR] 2026/11/29 08:00:00 error initializing client: You are not currently"
    " signed in. Please run `op signin --help` for instructions")
if args[1].endswith("?attribute=otp"): say(CODE)
say(held(args[1].removeprefix("op://")))
""",
    "bw": """
if args[:1] != ["get"]: fail(1, "Invalid command.")
if LOCKED: fail(1, "Vault is locked.")
say(held(args[2]), end="")
""",
    "pass": """
if args[:1] != ["show"]: fail(1, "Usage: pass show")
if LOCKED: fail(2, "gpg: public key decryption failed: Inappropriate ioctl for device")
say(held(args[1]) + "\\nuser: ada\\nurl: shop.example")
""",
    "gopass": """
if args[:2] != ["show", "-o"]: fail(1, "Usage: gopass show")
if LOCKED: fail(9, "Error: failed to decrypt: gpg: decryption failed: No secret key")
say(held(args[2]), end="")
""",
    "secret-tool": """
if args[:1] != ["lookup"]: fail(2, "usage: secret-tool lookup attribute value")
if LOCKED: fail(1, "secret-tool: Cannot get secret of a locked object")
say(held(args[2]), end="")
""",
    "vault": """
if args[:3] != ["kv", "get", "-field=password"]: fail(1, "Usage: vault kv get")
if LOCKED: fail(2, "Code: 403. Errors:\\n\\n* permission denied")
say(held(args[3]))
""",
    "aws": """
if args[:2] != ["secretsmanager", "get-secret-value"]: fail(252, "usage: aws")
if LOCKED: fail(253, "Unable to locate credentials. You can configure credentials by aws login")
say(held(args[args.index("--secret-id") + 1]))
""",
    "keyring": """
if args[:1] != ["get"]: fail(2, "usage: keyring get")
if LOCKED: fail(1, "keyring.errors.KeyringLocked: Failed to unlock the collection!")
say(held(args[1]))
""",
    "asking": """
try:
    terminal = open("/dev/tty", "r+")
except OSError:
    fail(1, "master password: no terminal")
terminal.write("Master password: ")
say(terminal.readline() or sys.stdin.readline())
""",
    "stdin": 'say(sys.stdin.readline() or "nobody typed")',
    "slow": "import time; time.sleep(600)",
    "endless": """
while True: sys.stdout.write("x" * 65536)
""",
    "long": 'say("x" * 70_000)',
    "short": 'say("abc")',
    "empty": "",
    "binary": 'sys.stdout.buffer.write(b"\\xff\\xfe\\x00 no text")',
    "parent": """
import subprocess, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(os.environ["VAULT_FOLDER"] + "/child", "w").write(str(child.pid))
time.sleep(600)
""",
    "environment": 'say(os.environ["VAULT_NOTE"])',
}
PRELUDE = """#!{python}
import os, sys
args = sys.argv[1:]
folder = {folder!r}
open(folder + "/calls", "a").write(" ".join([os.path.basename(sys.argv[0]), *args]) + "\\n")
LOCKED = os.path.exists(folder + "/locked")
CODE = os.path.exists(folder + "/code") and open(folder + "/code").read()
def say(text, end="\\n"):
    sys.stdout.write(text + end); sys.exit(0)
def fail(status, text):
    sys.stderr.write(text + "\\n"); sys.exit(status)
def held(name):
    try:
        return open(folder + "/" + name.replace("/", "+")).read()
    except OSError:
        fail(1, "item not found: " + name)
"""


class Vaults:
    """A folder for PATH with the programs; `put` stores a value for all of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        prelude = PRELUDE.format(python=sys.executable, folder=str(folder))
        (folder / "bin").mkdir()
        for name, text in PROGRAMS.items():
            path = folder / "bin" / name
            path.write_text(prelude + text)
            path.chmod(path.stat().st_mode | stat.S_IEXEC)

    def put(self, name: str, value: str) -> None:
        """Store a value under a name."""
        (self.folder / name.replace("/", "+")).write_text(value)

    def lock(self, *, locked: bool = True) -> None:
        """Lock all vaults, or unlock them."""
        path = self.folder / "locked"
        path.touch() if locked else path.unlink()

    @property
    def calls(self) -> list[str]:
        """The commands that were run, with their arguments."""
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []
