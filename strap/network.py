"""Address and URL guard shared by every plugin that opens connections."""

from typing import Literal

Mode = Literal["public", "local", "all"]


class Guard:
    """Placeholder of the seam; completed in this change."""

    def __init__(self, mode: Mode = "public", allow_hosts: tuple[str, ...] = ()) -> None:
        self.mode = mode
        self.allow_hosts = allow_hosts
