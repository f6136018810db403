"""Targets: elements named in the words of a snapshot, such as `button "Add" in row "Rake"`."""
