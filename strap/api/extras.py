"""Optional sets of libraries, and the lines of `strap doctor`."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from strap.faults import is_fault
from strap.installation import install_command
from strap.records import record

if TYPE_CHECKING:
    from strap.environments.own import OwnEnvironment


@record
class Extra:
    """An optional set of libraries: the action is advertised only where `modules` are found.

    `apart`: `strap NAME install` can put it into an environment of its own, which a process of
    that environment works with.
    """

    name: str
    modules: tuple[str, ...]
    distribution: str = "strap-web"
    apart: bool = False

    @property
    def missing(self) -> bool:
        """Whether one of the modules is not installed; nothing but packages is imported."""
        return not all(map(_is_installed, self.modules))

    def missing_in(self, environments: Path | None) -> bool:
        """Whether it is neither installed nor in an environment of its own.

        One that is not fit for use counts as there: who uses it is told what is wrong with it.
        """
        if self.apart:
            from strap.environments.own import is_made

            if is_made(environments, self.name):
                return False
        return self.missing

    def own(self, environments: Path | None) -> "OwnEnvironment | None":
        """Return its own environment, None if it has none; raises `ActionError` if it is unfit."""
        from strap.environments.own import find

        return find(environments, self.name) if self.apart else None

    def finds(self, module: str, environments: Path | None) -> bool:
        """Whether a module is installed where the extra is; raises `ActionError` as `own`."""
        own = self.own(environments)
        return _is_installed(module) if own is None else own.has(module)

    @property
    def install(self) -> str:
        """The command that installs it, as strap was installed; or the two ways."""
        command = install_command(f"{self.distribution}[{self.name}]")
        if not self.apart:
            return command
        return f"{command}; or strap {self.name} install, into an environment of its own"


@record
class Diagnosis:
    """One line of `strap doctor`: `fix` is the command that mends what is not `ok`.

    A line that is `ok` may have a `fix`, too: that command adds an optional part.
    """

    subject: str
    ok: bool
    detail: str
    fix: str = ""

    @classmethod
    def of_extra(cls, extra: Extra) -> "Diagnosis":
        """Tell whether an extra is installed; to do without it is no mistake."""
        missing = extra.missing
        return cls(
            subject=f"extra {extra.name}",
            ok=True,
            detail="not installed" if missing else "installed",
            fix=extra.install if missing else "",
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except BaseException as error:  # of the package that it is in
        if not is_fault(error):
            raise
        return False
