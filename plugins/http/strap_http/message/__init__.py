"""Requests, responses and what they carry: cookies, secrets, sizes."""
