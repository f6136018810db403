"""Finding, loading and asking plugins, whose foreign code may do anything."""
