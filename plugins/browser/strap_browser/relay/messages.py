"""What the parts of the relay say to each other where something fails."""


class CdpFailure(Exception):
    """A command failed; `error` is what CDP says of it."""

    def __init__(self, message: str, code: int = -32000) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}
