"""The checks of 09-mlm-pretraining: one file an exercise, one function a property."""
