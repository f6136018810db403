"""What plugins declare and what calls carry: the vocabulary that `strap` re-exports."""
