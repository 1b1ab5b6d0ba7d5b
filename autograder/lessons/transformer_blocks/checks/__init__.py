"""The checks of 03-transformer-blocks: one file an exercise, one function a property."""
