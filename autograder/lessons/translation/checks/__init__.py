"""The checks of 05-translation: one file an exercise, one function a property."""
