"""The submitted models: the course's models with the submitted weights, and the data on which they are measured."""

import functools
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, expect, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.vision_language import references

CLIP, CLIP_FILE = "my_clip", "clip.safetensors"
ANSWERS, ANSWERS_FILE = "my_answers", "answers.safetensors"
FEW = 4  # pairs or questions on which the student's model is compared with ours


def loaded_clip(student: Student, images: Tensor, ids: Tensor) -> nn.Module:
    """Return the course's DualEncoder with the submitted weights. Fail unless it computes what the student's computes.

    Both are compared on a few pairs. A student's ``forward`` could look things up; the course's model has only the weights.
    """
    module = checkpoint.load(student, CLIP, CLIP_FILE)
    own = expect.pair(module(images[:FEW], ids[:FEW]), "the pictures' vectors", "the texts' vectors")
    for value in own:
        checkpoint.are_numbers(value)
    names = ("vectors of pictures", "vectors of texts")

    def compute(model: nn.Module) -> dict[str, Tensor]:
        return dict(zip(names, model(images[:FEW], ids[:FEW]), strict=True))

    return _CLIP.like(module, dict(zip(names, own, strict=True)), compute)


def loaded_answers(student: Student, features: Tensor, real: Tensor, ids: Tensor) -> nn.Module:
    """Return the course's ViLBERT with the submitted weights. Fail unless it computes what the student's computes."""
    module = checkpoint.load(student, ANSWERS, ANSWERS_FILE)
    given = features[:FEW], real[:FEW], ids[:FEW]
    value = module(*given)
    own = expect.tensor(value[0] if isinstance(value, tuple | list) and value else value, "The logits")
    checkpoint.are_numbers(own)
    return _ANSWERS.like(module, {"logits": own}, lambda model: {"logits": model(*given)[0]})


def _dual_encoders(weights):
    """Return how to make a DualEncoder with the sizes of these weights, for every number of heads."""
    D, _, patch, _ = modules.sizes(weights, "patches.weight", 4)
    places, _ = modules.sizes(weights, "image_positions", 2)
    words, _ = modules.sizes(weights, "tokens.weight", 2)
    longest, _ = modules.sizes(weights, "text_positions", 2)
    shared, _ = modules.sizes(weights, "image_projection.weight", 2)
    hidden, _ = modules.sizes(weights, "image_encoder.blocks.0.feed_forward.W_1.weight", 2)
    blocks = [modules.count(weights, f"{part}_encoder.blocks.{{}}.norm_1.gamma") for part in ("image", "text")]
    if places * patch**2 != _SIDE**2 or words != _words() or longest < _LONGEST:
        raise modules.OtherModel(f"{places} patches of {patch} x {patch} pixels, {words} words, texts of {longest}")
    sizes = [(D, heads, *blocks, hidden, shared) for heads in modules.possible_heads(D)]
    configs = [references.DualConfig(words, longest, _SIDE, patch, *each) for each in sizes]
    return [functools.partial(references.DualEncoder, config) for config in configs]


_SIDE, _LONGEST = 8, 7  # pixels of a picture; words of a caption with its start and end


def _words() -> int:
    from course_lib.data import captioned_vocabulary

    return len(captioned_vocabulary())


def _vilberts(weights):
    """Return how to make a ViLBERT with the sizes of these weights, for every number of heads."""
    words, D = modules.sizes(weights, "tokens.weight", 2)
    _, region = modules.sizes(weights, "regions.weight", 2)
    longest, _ = modules.sizes(weights, "positions", 2)
    answers, _ = modules.sizes(weights, "head.weight", 2)
    hidden, _ = modules.sizes(weights, "co_attention.0.image_feed_forward.W_1.weight", 2)
    blocks = modules.count(weights, "co_attention.{}.image_norm_1.gamma")
    configs = [
        references.ViLBERTConfig(words, answers, region, longest, D, heads, blocks, hidden)
        for heads in modules.possible_heads(D)
    ]
    return [functools.partial(references.ViLBERT, config) for config in configs]


_CLIP = modules.OwnModel(CLIP, "a DualEncoder", _dual_encoders)
_ANSWERS = modules.OwnModel(ANSWERS, "a ViLBERT", _vilberts)


def deal(count: int, seed: int, name: str) -> Tensor:
    """Return an order in which nothing stays at its place."""
    return Draw(seed, name).permutation(count)


def fail_control(setting: str, good: bool, cause: str, hint: str, **details) -> None:
    """Fail because a control does not show what it should, or because the model is not good enough for one."""
    raise CheckFailure(
        "control",
        "The control does not show what it should." if good else "The model is not good enough for this control.",
        setting=setting,
        received=details["yours"],
        cause=cause if good else "model not good enough yet",
        hint=hint if good else "Without a model that has learned its task, this says nothing. See above.",
        **details,
    )


def vectors(model: Any, images: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return the vectors of pictures and texts, computed a few at a time."""
    seen = modules.in_batches(model.encode_images, images, model=model)
    return seen, modules.in_batches(model.encode_texts, ids, model=model)


def right_answers(model: nn.Module, features: Tensor, real: Tensor, ids: Tensor, answers: Tensor) -> Tensor:
    """Return which questions are answered right."""
    logits = modules.in_batches(lambda *part: model(*part)[0], features, real, ids, model=model)
    return torch.as_tensor(logits.argmax(dim=1) == answers)
