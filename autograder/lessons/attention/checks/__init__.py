"""The checks of 01-attention: one file an exercise, one function a property."""
