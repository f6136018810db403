"""Elements found by a target (`strap.targets.grammar`), and targets told of elements."""
