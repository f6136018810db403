"""What a call gives to pages, and where it may go from there."""
