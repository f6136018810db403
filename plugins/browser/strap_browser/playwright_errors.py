"""What Playwright raises, from where it is defined: its public module takes 0.1 s to import."""

from playwright._impl._errors import Error
from playwright._impl._errors import TimeoutError as Late

__all__ = ["Error", "Late"]
