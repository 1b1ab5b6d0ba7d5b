"""The checks of 06-language-models: one file an exercise, one function a property."""
