"""Messages of clients: which are surely valid, and can be answered before the SDK sees them."""
