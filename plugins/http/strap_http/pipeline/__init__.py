"""From a request to its final response: redirects, retries, cache, robots.txt."""
