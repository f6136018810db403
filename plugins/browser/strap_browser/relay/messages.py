"""Failures that parts of the relay tell each other."""

from strap_browser.cdp.granted_tabs import KEPT


class CdpFailure(Exception):
    """A command failed; `error` is what CDP says of it."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}


def withheld() -> CdpFailure:
    """Return the failure of who is kept from the tabs."""
    return CdpFailure("A person has the tabs in hand in another process of strap.", KEPT)
