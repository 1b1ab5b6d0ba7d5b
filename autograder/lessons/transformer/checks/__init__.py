"""The checks of 04-transformer: one file an exercise, one function a property."""
