"""Training a model in a notebook, and keeping what came out of it."""

from course_lib.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from course_lib.training.errors import CheckpointError

__all__ = ["Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"]
