"""Code that tests of several folders share."""
