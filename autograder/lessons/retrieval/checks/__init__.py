"""The checks of 13-retrieval: one file an exercise, one function a property."""
