"""Train a model in a notebook, and save the results."""

from course_lib.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from course_lib.training.errors import CheckpointError
from course_lib.training.fit import fit
from course_lib.training.history import History
from course_lib.training.own_loop import own_train
from course_lib.training.results import save_results
from course_lib.training.schedule import rate_factor
from course_lib.training.spy import SpyBatches, SpyLoss, SpyModel, SpyOptimizer, SpyRate, read_notes
from course_lib.training.spy_language_model import SpyLanguageModel

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "History",
    "SpyBatches",
    "SpyLanguageModel",
    "SpyLoss",
    "SpyModel",
    "SpyOptimizer",
    "SpyRate",
    "fit",
    "load_checkpoint",
    "own_train",
    "rate_factor",
    "read_notes",
    "save_checkpoint",
    "save_results",
]
