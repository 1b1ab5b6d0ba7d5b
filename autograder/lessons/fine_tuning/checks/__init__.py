"""The checks of 10-fine-tuning: one file an exercise, one function a property."""
