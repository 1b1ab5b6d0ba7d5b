"""The checks of 05-captioning: one file an exercise, one function a property."""
