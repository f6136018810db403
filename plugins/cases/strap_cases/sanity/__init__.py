"""`strap sanity`: fixed scenarios end to end, each with a bundle of evidence and its class."""
