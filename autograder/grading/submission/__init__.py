"""Read a submission: its folder, its files, and its cells matched with the released ones."""
