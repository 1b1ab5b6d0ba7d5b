"""The submitted captioner: the course's decoder with the submitted weights, and its captions."""

import functools
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from autograder.checks import Draw, Student, expect, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.captioning import references
from autograder.lessons.captioning.references import PAD, CaptionDecoder

NAME = "my_captioner"
FILE = "captioner.safetensors"
SCENES = 300
FEW = 8  # scenes on which the student's model is compared with ours
LONGEST = 15  # words and END of the longest caption, and one more


@dataclass
class Written:
    """The output of a decoder for some scenes: captions (B, T) after START, and weights (B, T, N) at each word."""

    captions: Tensor
    weights: Tensor


@functools.lru_cache(maxsize=4)
def scenes_of(seed: int):
    """Return the held-out scenes on which a captioner is judged; the TA's seed decides which."""
    from course_lib.data import draw_scenes

    return draw_scenes(SCENES, Draw(seed, NAME).new_seed(), "held_out")


def cells_of(scenes) -> Tensor:
    """Return the features of the scenes, (B, N, D)."""
    from course_lib.data import scene_features

    return scene_features(scenes.images).flatten(2).transpose(1, 2).contiguous()


def write(model: CaptionDecoder, cells: Tensor) -> Written:
    """Caption greedily with the course's decoder. Its only input besides the picture are the words that it has written."""
    batches = cells.split(modules.rows_at_once(model))
    parts = [references.greedy_caption(model, batch, max_length=LONGEST) for batch in batches]
    T = max(captions.shape[1] for captions, _ in parts)
    return Written(
        torch.cat([functional.pad(captions, (0, T - captions.shape[1]), value=PAD) for captions, _ in parts]),
        torch.cat([functional.pad(weights, (0, 0, 0, T - weights.shape[1])) for _, weights in parts]),
    )


def loaded(student: Student, seed: int, file: str = FILE) -> CaptionDecoder:
    """Return the course's decoder with the weights in ``file``. Fail unless it computes what the student's computes.

    A student's ``forward`` could recognise scenes or their public digits; the course's decoder has only the weights.
    """
    from course_lib.data import scene_vocabulary

    module, scenes = checkpoint.load(student, NAME, file), scenes_of(seed)
    captions = scene_vocabulary().batch(scenes.captions[:FEW])[0]
    cells, real = cells_of(scenes)[:FEW], captions != PAD
    logits, weights = expect.pair(module(cells, captions), "logits", "weights")
    setting = f"features {tuple(cells.shape)}, captions {tuple(captions.shape)}"
    expect.shape(logits, (*captions.shape, len(scene_vocabulary())), "logits", "(B, T, V)", setting)
    expect.shape(weights, (*captions.shape, cells.shape[1]), "weights", "(B, T, N)", setting)
    checkpoint.are_numbers(logits[real])
    own = {"logits": logits[real], "weights": weights[real]}
    model = OWN.like(
        module, own, lambda model: {key: part[real] for key, part in zip(own, model(cells, captions), strict=True)}
    )
    return cast(CaptionDecoder, model)


def _candidates(weights):
    """Return how to make a decoder with the sizes of these weights: there is one way."""
    V, E = modules.sizes(weights, "embedding.weight", 2)
    S, D = modules.sizes(weights, "start.weight", 2)
    hidden, _ = modules.sizes(weights, "attention.W.weight", 2)
    return [functools.partial(CaptionDecoder, V, D, S, E, hidden)]


OWN = modules.OwnModel(
    NAME,
    "a CaptionDecoder",
    _candidates,
    {
        "weights": "The logits are right. weights[:, t] have to be those with which the word after captions[:, t] was made, "
        "cell by cell in the order of grid_features."
    },
)


def written(student: Student, seed: int):
    """Return (scenes, cells, captioner, its captions). Each check asks again: the answer's surroundings may have changed."""
    model = loaded(student, seed)
    scenes = scenes_of(seed)
    cells = cells_of(scenes)
    return scenes, cells, model, write(model, cells)


def exact(scenes, captions: Tensor) -> Tensor:
    """Return for each scene whether its caption is right, word for word."""
    from course_lib.data import PAD, scene_vocabulary

    want = scene_vocabulary().batch(scenes.captions)[0][:, 1:]
    longest = max(want.shape[1], captions.shape[1])
    want, got = (functional.pad(ids, (0, longest - ids.shape[1]), value=PAD) for ids in (want, captions))
    return (got == want).all(dim=1)


def accuracy(scenes, captions: Tensor) -> float:
    """Return the share of the scenes whose captions are exact."""
    return exact(scenes, captions).double().mean().item()


def pointing(scenes, its: Written) -> float:
    """Return the mean share of the weights inside the boxes of what a word names, over the exact captions; 0 without any.

    Of all weights, whatever they add up to, and not below 0: a share cannot be had by making them large.
    """
    size = int(its.weights.shape[2] ** 0.5)
    regions = scenes.regions(size, size).flatten(2)[:, : its.captions.shape[1]]  # (B, T, N)
    names = regions.any(2) & exact(scenes, its.captions)[:, None]
    weights = its.weights[:, : regions.shape[1]].double()
    mass = (weights * regions).sum(2).clamp(min=0) / weights.abs().sum(2).clamp(min=1e-9)
    return mass[names].double().mean().item() if names.any() else 0.0
