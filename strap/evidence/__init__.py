"""Files that show what was seen: HAR archives and traces, and what is masked in them."""
