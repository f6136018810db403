"""Sizes as people read them."""


def size(count: int) -> str:
    """Return `count` bytes as in `512 B`, `12 KB`, `1.5 MB` (powers of 1,000)."""
    if count < 1_000:
        return f"{count} B"
    if count < 999_500:
        return f"{count / 1e3:.3g} KB"
    return f"{count / 1e6:.3g} MB" if count < 999_500_000 else f"{count / 1e9:.3g} GB"
