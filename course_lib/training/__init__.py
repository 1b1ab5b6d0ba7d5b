"""Training a model in a notebook, and keeping what came out of it."""

from course_lib.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from course_lib.training.errors import CheckpointError
from course_lib.training.fit import fit
from course_lib.training.history import History
from course_lib.training.schedule import rate_factor

__all__ = ["Checkpoint", "CheckpointError", "History", "fit", "load_checkpoint", "rate_factor", "save_checkpoint"]
