"""What a page said to its console, asked the network, and downloaded, as lists."""
