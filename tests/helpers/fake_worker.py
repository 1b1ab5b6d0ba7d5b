"""``dask worker --preload fake_worker``: a Dask worker that grades with the stand-in."""

from functools import partial

from autograder.grading.run import cluster
from autograder.grading.run.pool import Helpers

cluster.Helpers = partial(Helpers, module="fake_helper")
