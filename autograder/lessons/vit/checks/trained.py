"""The submitted Vision Transformer: the course's model with the submitted weights."""

import functools
import math

from torch import Tensor, nn

from autograder.checks import Student, expect, first_of, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.vit import references

NAME = "my_vit"
FILE = "vit.safetensors"


def loaded(student: Student, images: Tensor, file: str = FILE) -> nn.Module:
    """Return the course's model with the weights in ``file``. Fail unless it computes what the student's model computes.

    Both are compared on ``images``, a few pictures. The digits are public, so a student's ``forward`` could look them up; the
    course's model has only the weights.
    """
    module = checkpoint.load(student, NAME, file)
    own = first_of(module(images), "logits")
    expect.shape(own, (len(images), 10), "logits", "(B, 10)", f"images {tuple(images.shape)}")
    checkpoint.are_numbers(own)
    return OWN.like(module, {"logits": own}, lambda model: {"logits": model(images)[0]})


def _candidates(weights):
    """Return how to make a Vision Transformer with the sizes of these weights, for every number of heads."""
    D, content = modules.sizes(weights, "embedding.projection.weight", 2)
    hidden, _ = modules.sizes(weights, "encoder.blocks.0.feed_forward.W_1.weight", 2)
    blocks = modules.count(weights, "encoder.blocks.{}.norm_1.gamma")
    side = math.isqrt(content // 3)
    if not side or 8 % side:
        raise modules.OtherModel(f"patches of {content} numbers")
    configs = [references.ViTConfig(8, 8, 3, side, D, heads, blocks, hidden, 10) for heads in modules.possible_heads(D)]
    return [functools.partial(references.VisionTransformer, config) for config in configs]


OWN = modules.OwnModel(NAME, "a VisionTransformer", _candidates)


def right(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Return the share of the pictures for which the logit of the label is the largest."""
    logits = modules.in_batches(lambda part: model(part)[0], images, model=model)
    return float((logits.argmax(dim=1) == labels).double().mean())
