"""Batches: thousands of calls from a table, resumable, with a row of results for each."""
