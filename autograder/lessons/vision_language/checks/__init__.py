"""The checks of 12-vision-language: one file an exercise, one function a property."""
