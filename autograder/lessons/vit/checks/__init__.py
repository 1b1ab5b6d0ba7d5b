"""The checks of 11-vit: one file an exercise, one function a property."""
