"""The commands of strap itself: one module each, imported when it is used."""
