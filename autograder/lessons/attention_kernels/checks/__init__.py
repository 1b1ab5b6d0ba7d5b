"""The checks of 16-attention-kernels: one file an exercise, one function a property."""
