"""Traffic of a caller's pages, and the device that they emulate."""
