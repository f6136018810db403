"""Optional sets of libraries."""

from dataclasses import dataclass
from importlib.util import find_spec

from strap.faults import is_fault
from strap.installation import install_command


@dataclass(frozen=True, kw_only=True, slots=True)
class Extra:
    """An optional set of libraries: the action is advertised only where `modules` are found."""

    name: str
    modules: tuple[str, ...]
    distribution: str = "strap-web"

    @property
    def missing(self) -> bool:
        """Whether one of the modules is not installed; nothing but packages is imported."""
        return not all(map(_is_installed, self.modules))

    @property
    def install(self) -> str:
        """The command that installs it, as strap itself was installed."""
        return install_command(f"{self.distribution}[{self.name}]")


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except BaseException as error:  # of the package that it is in
        if not is_fault(error):
            raise
        return False
