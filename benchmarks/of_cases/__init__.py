"""Parts of the measurement of test cases and scenarios."""
