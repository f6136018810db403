"""Pictures of a page: when they are taken, and over which connection."""
