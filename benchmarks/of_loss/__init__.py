"""What main parts lose, and what junk they keep."""
