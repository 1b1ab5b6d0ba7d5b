"""A Transformer that was trained to write captions for 1500 steps.

Lesson 05, section 8.1, looks at what it has learned, and its cell trains it again if it is asked to. Its weights lie beside this
file, in half precision, so that nobody has to wait for them.
"""

from pathlib import Path

from torch import nn

_FILE = Path(__file__).with_name("transformer_captioner.safetensors")


def load_trained_captioner(model: nn.Module) -> None:
    """Put the weights of the trained Transformer into `model`, a `TransformerCaptioner` of lesson 05 with its default widths.

    Raises CheckpointError if the model has other weights.
    """
    from course_lib.training import load_checkpoint

    load_checkpoint(_FILE, model)
    model.eval()


def save_trained_captioner(model: nn.Module) -> None:
    """Write the weights of a `TransformerCaptioner` to where `load_trained_captioner` looks for them."""
    from course_lib.training import save_checkpoint

    save_checkpoint(model.half(), _FILE)
    model.float()
