"""The checks of 04-translation: one file an exercise, one function a property."""
