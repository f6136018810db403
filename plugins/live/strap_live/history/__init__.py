"""Looking back: the runs that are kept on disk, as the live page asks for them."""
