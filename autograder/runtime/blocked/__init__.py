"""Find and block the functions that an exercise may not use: in a source, and when they are called."""
