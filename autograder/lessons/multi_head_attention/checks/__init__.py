"""The checks of 02-multi-head-attention: one file an exercise, one function a property."""
