"""Values that are obtained when they are used: one-time codes, and what vaults hold."""
