"""The checks of 07-language-models: one file an exercise, one function a property."""
