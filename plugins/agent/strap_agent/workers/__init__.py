"""The worker processes of runs, seen from the server."""
