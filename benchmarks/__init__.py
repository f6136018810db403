"""Side-by-side measurements of strap and its peers; `python -m benchmarks` prints them."""
