"""What a caller's pages send and get, and as what device they do."""
