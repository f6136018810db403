"""The version of strap, where everything may import it."""

__version__ = "0.1.0"
