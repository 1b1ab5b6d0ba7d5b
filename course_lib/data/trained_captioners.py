"""Four trained captioners: three with one vector for the whole picture, of which two are learned, and a Transformer.

Lesson 06, sections 7.4 and 8.1, examines what they have learned, and its cells can train them again. Their weights, in half
precision, are beside this file, to save the time.
"""

from pathlib import Path

from torch import nn

CAPTIONERS = ("one vector of 8", "one vector of 512", "fixed vector of 90", "Transformer")


def load_captioner(name: str, model: nn.Module) -> None:
    """Load the weights of a trained captioner into `model`.

    name: "one vector of 8" or "one vector of 512", for the lesson's `OneVector` of this width, "fixed vector of 90", for its
    `FixedVector`, or "Transformer", for its `TransformerCaptioner`. Raises ValueError for another name, and CheckpointError
    if the model has other weights.
    """
    from course_lib.training import load_checkpoint

    load_checkpoint(_file(name), model)
    model.eval()


def save_captioner(name: str, model: nn.Module) -> None:
    """Save the weights of a captioner for `load_captioner`."""
    from course_lib.training import save_checkpoint

    save_checkpoint(model.half(), _file(name))
    model.float()


def _file(name: str) -> Path:
    if name not in CAPTIONERS:
        raise ValueError(f"Expected one of {', '.join(map(repr, CAPTIONERS))}, got {name!r}.")
    return Path(__file__).with_name(f"captioner_{name.lower().replace(' ', '_')}.safetensors")
