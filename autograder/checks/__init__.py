"""The checks, one folder an assignment, one file an exercise, one function a property."""
