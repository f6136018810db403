"""A keyring in a file, which the library `keyring` loads by name in a process of its own."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    priority = 1

    @property
    def _file(self):
        return Path(os.environ["TEST_KEYRING"])

    def _entries(self):
        return json.loads(self._file.read_text()) if self._file.exists() else {}

    def get_password(self, service, username):
        return self._entries().get(f"{service}/{username}")

    def set_password(self, service, username, password):
        self._file.write_text(json.dumps(self._entries() | {f"{service}/{username}": password}))
