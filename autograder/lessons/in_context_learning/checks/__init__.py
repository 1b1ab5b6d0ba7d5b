"""The checks of 08-in-context-learning: one file an exercise, one function a property."""
