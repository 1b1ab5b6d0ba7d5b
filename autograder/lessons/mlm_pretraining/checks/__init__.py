"""The checks of 07-mlm-pretraining: one file an exercise, one function a property."""
