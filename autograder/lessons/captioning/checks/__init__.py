"""The checks of 06-captioning: one file an exercise, one function a property."""
