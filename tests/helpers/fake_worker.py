"""``dask worker --preload fake_worker``: a Dask worker that grades with the stand-in."""

from functools import partial

from autograder.grading.run import cluster
from autograder.grading.run.pool import WorkerPool

cluster.WorkerPool = partial(WorkerPool, module="fake_helper")
