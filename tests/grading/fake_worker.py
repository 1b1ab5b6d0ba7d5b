"""``dask worker --preload fake_worker``: a Dask worker that grades with the stand-in."""

from functools import partial

from autograder.grading import cluster
from autograder.grading.helpers import Helpers

cluster.Helpers = partial(Helpers, module="fake_helper")
