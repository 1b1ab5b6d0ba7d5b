"""The checks of 14-recommendation: one file an exercise, one function a property."""
