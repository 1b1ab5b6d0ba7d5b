"""The checks of 08-vit: one file an exercise, one function a property."""
