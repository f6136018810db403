"""What Playwright raises, from where it is defined: its public module takes 0.1 s to import."""

try:
    from playwright._impl._errors import Error
    from playwright._impl._errors import TimeoutError as Late
except ModuleNotFoundError:  # without the extra `browser` nothing raises them

    class Error(Exception):  # type: ignore[no-redef]
        """Stands for Playwright's."""

        message = ""

    class Late(Error):  # type: ignore[no-redef]
        """Stands for Playwright's."""


__all__ = ["Error", "Late"]
