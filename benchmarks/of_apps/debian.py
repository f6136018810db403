"""Debian's packages, unpacked below `.cache`: nothing is installed, and no root is needed."""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from benchmarks.of_apps.application import Application
from benchmarks.peers import CACHE, once

UNPACK = """
set -e
cd "$0"
rm -rf -- *
: > none
apt-get -s -o Dir::State::status="$PWD/none" --no-install-recommends install "$@" > plan
names=$(awk '/^Inst/ && $2 != "libc6" {print $2}' plan)
apt-get -q download $names > log
for file in *.deb; do dpkg-deb -x "$file" .; rm "$file"; done
find . -lname '/*' | while read -r link; do
    at=$PWD$(readlink "$link")
    if [ -e "$at" ]; then ln -sfn "$at" "$link"; fi
done
find . -xtype l -delete
"""
"""As on an empty machine, so that all have the same; only the C library is the machine's own."""
INI = """
error_log = {folder}/log
extension_dir = {tree}/usr/lib/php/{api}
zend_extension = opcache
include_path = ".:{tree}/usr/share/php"
memory_limit = 256M
session.save_path = {folder}
sys_temp_dir = {folder}
upload_tmp_dir = {folder}
upload_max_filesize = 20M
"""
WORKERS = 4


def unpacked(name: str, *packages: str) -> Path:
    """Unpack packages and all they depend on into a folder; raises `Absent`."""
    folder = CACHE / name
    once(folder, " ".join(packages), ("sh", "-c", UNPACK, str(folder), *packages))
    return folder


class Packaged(Application):
    """Application in PHP, of Debian's packages."""

    packages: tuple[str, ...]
    extensions: tuple[str, ...]
    """Modules of PHP, in an order in which each finds those that it needs."""
    settings = ""
    """More lines of php.ini."""
    environ: Mapping[str, str] = {}
    """More variables for PHP."""

    def install(self) -> None:
        php = ("php8.2-cli", "php8.2-cgi")
        self.tree = unpacked(self.name.lower(), *php, *self.packages)

    def write(self, name: str, text: str, **values: object) -> Path:
        """Write a file of settings, with values for what it has in braces."""
        file = self.folder / name
        own = {"folder": self.folder, "tree": self.tree, "base": self.base}
        for key, value in {**own, **values}.items():
            text = text.replace(f"{{{key}}}", str(value))
        file.write_text(text)
        return file

    def serve(self, documents: Path, *options: str) -> None:
        """Serve a folder of PHP files."""
        here = ("-S", f"127.0.0.1:{self.port}", "-t", documents)
        workers = {"PHP_CLI_SERVER_WORKERS": str(WORKERS)}
        self.spawn(*self.php(*here, *options), **self.libraries, **self.environ, **workers)

    def php(self, *words: str | Path) -> tuple[str | Path, ...]:
        """Return the command of PHP with nothing of the machine's configuration."""
        ini = self.folder / "php.ini"
        if not ini.is_file():
            [api] = (self.tree / "usr/lib/php").glob("2*")
            text = INI.format(folder=self.folder, tree=self.tree, api=api.name)
            lines = [f"extension = {name}" for name in self.extensions]
            ini.write_text("\n".join([text, *lines, self.settings]))
        return (self.tree / "usr/bin/php8.2", "-n", "-c", ini, *words)

    def run(self, *words: str | Path, timeout: float = 120) -> str:
        """Run a script of PHP to its end and return its output; raises `Failed`."""
        return self.do(*self.php(*words), timeout=timeout, **self.libraries, **self.environ)

    @property
    def libraries(self) -> Mapping[str, str]:
        """Variables that let programs of the tree find their libraries."""
        lib = self.tree / "usr/lib"
        folders = (*lib.glob("*-linux-gnu"), *(self.tree / "lib").glob("*-linux-gnu"))
        return {"LD_LIBRARY_PATH": ":".join(map(str, (*folders, lib / "dovecot")))}


def restore(base: Path, seeded: Path) -> None:
    """Make a SQLite database what another one is, while its application has it open."""
    with closing(sqlite3.connect(seeded)) as source, closing(sqlite3.connect(base)) as target:
        source.backup(target)


def as_somebody() -> tuple[str, ...]:
    """Return the beginning of a command for a program that refuses to run as root."""
    if os.geteuid():
        return ()
    return ("unshare", "--user", "--map-user=1000", "--map-group=1000")
