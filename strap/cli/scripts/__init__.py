"""Scripts from the command line: played, and healed where pages have changed."""
