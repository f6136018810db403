"""Making checks: what strap itself sees to be so or not."""
