"""Cases as tests of pytest."""
