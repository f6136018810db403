"""Logins with codes, vaults and passkeys."""
