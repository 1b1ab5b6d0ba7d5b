"""The checks of 15-modern-attention: one file an exercise, one function a property."""
