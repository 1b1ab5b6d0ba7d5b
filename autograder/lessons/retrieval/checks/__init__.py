"""The checks of 10-retrieval: one file an exercise, one function a property."""
