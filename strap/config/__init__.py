"""One frozen `Config`: file < environment < flags."""

from strap.config.loading import Config, default_home, load

__all__ = ["Config", "default_home", "load"]
