"""The guarding proxy of a managed browser: all its traffic passes the network guard."""
