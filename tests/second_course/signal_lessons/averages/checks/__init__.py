"""The checks of 01-averages: one file an exercise, one function a property."""
