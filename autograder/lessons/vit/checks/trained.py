"""The Vision Transformer that was handed in: a model of ours with its weights."""

import functools
import math

from torch import Tensor, nn

from autograder.checks import Student, expect, first_of, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.vit import references

NAME = "my_vit"
FILE = "vit.safetensors"


def loaded(student: Student, images: Tensor, file: str = FILE) -> nn.Module:
    """Return a model of ours with the weights that were handed in as ``file``, which computes what the student's does.

    Both are compared on ``images``, a few pictures. The digits are public, so a model that looks them up could answer for the
    student's; one with the weights cannot.
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
    logits = modules.in_batches(lambda part: model(part)[0], images)
    return float((logits.argmax(dim=1) == labels).double().mean())
