"""The checks of 09-vision-language: one file an exercise, one function a property."""
