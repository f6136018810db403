"""The seccomp profile that Chromium's sandbox needs: that of the runtime, with user namespaces.

    python deploy/seccomp.py default.json > deploy/seccomp.json

`default.json` is the profile that Docker and containerd use where none is given
(`profiles/seccomp/default.json` of the repository moby/moby): it changes with them, so none is kept
here. `chroot` is among what is added as containers here have no capabilities: the kernel lets it
only within a user namespace.
"""

import json
import sys
from pathlib import Path
from typing import Any

ADDED = ("chroot", "clone", "setns", "unshare")


def with_namespaces(profile: dict[str, Any]) -> dict[str, Any]:
    """Return the profile with a rule in front that lets processes make user namespaces."""
    if "syscalls" not in profile or "defaultAction" not in profile:
        raise ValueError("This is no seccomp profile.")
    rule = {
        "names": list(ADDED),
        "action": "SCMP_ACT_ALLOW",
        "comment": "user namespaces: Chromium's sandbox",
    }
    return {**profile, "syscalls": [rule, *profile["syscalls"]]}


if __name__ == "__main__":
    json.dump(with_namespaces(json.loads(Path(sys.argv[1]).read_text())), sys.stdout, indent=2)
