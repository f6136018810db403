"""Distributions in a folder of the path, made of a module and its metadata each."""

import os
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

_PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
OWN_PLUGINS = sorted(_PROJECT["project"]["entry-points"]["strap.plugins"])
"""The plugins that strap itself brings, in the order in which it loads them."""
GOOD = """
    from strap import Context, Params, Resource, Result, action, hookimpl

    class Nothing(Params):
        pass

    @action("almanac", effect="read")
    async def lookup(params: Nothing, ctx: Context) -> Result:
        "Look up."
        return Result(text="found")

    @hookimpl
    def strap_register_resources(config):
        return [Resource(name="almanac", summary="Archive.")]

    @hookimpl
    def strap_register_actions(config):
        return [lookup]
"""
HOOK = """
    import strap
    @strap.hookimpl
    def {hook}({arguments}):
        {body}
"""
WATCHES = """
    import strap

    @strap.hookimpl
    def strap_check_call(call):
        return strap.Denial(reason="The newcomer objects.") if call.action == "fetch" else None

    @strap.hookimpl
    def strap_wrap_call(call):
        raise AssertionError("a plugin that is not in use is asked")

    @strap.hookimpl
    def strap_diagnose(config):
        raise AssertionError("a plugin that is not in use is asked")

    @strap.hookimpl
    def strap_register_commands(cli):
        raise AssertionError("a plugin that is not in use is asked")
"""


def with_others(source):
    """`source` with a check that forbids `fetch`, and with hooks that must not be asked."""
    return textwrap.dedent(source) + textwrap.dedent(WATCHES)


class Site:
    """A folder that distributions are installed into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name, source, *, distribution=None, entry=None):
        distribution = distribution or f"strap-{name}"
        module = distribution.replace("-", "_")
        self.write(distribution, f"[strap.plugins]\n{entry or name} = {module}\n")
        (self.folder / f"{module}.py").write_text(textwrap.dedent(source))

    def write(self, distribution, entry_points, metadata=None):
        info = self.folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        named = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        (info / "METADATA").write_text(named if metadata is None else metadata)
        (info / "entry_points.txt").write_text(entry_points)

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        home = str(self.folder / "home")
        return kept | {"PYTHONPATH": str(self.folder), "HOME": home, "STRAP_HOME": home} | more

    def strap(self, *words, **more):
        """Run the command line in a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "strap", *words],
            cwd=self.folder,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
