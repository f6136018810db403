"""From raw arguments to a result: the catalog, the checks, the only dispatch path."""
