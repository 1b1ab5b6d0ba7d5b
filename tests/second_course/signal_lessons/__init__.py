"""The lessons of a small course on signals."""
