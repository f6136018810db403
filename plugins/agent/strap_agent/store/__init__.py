"""The runs on disk: records, index, report."""
