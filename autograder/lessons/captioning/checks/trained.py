"""The trained captioner that was handed in: weights loaded into the student's class, and the captions it writes."""

import functools
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from autograder.judging.student import Student, StudentModule
from autograder.judging.tools import checkpoint, expect
from autograder.judging.tools.draw import Draw

NAME = "my_captioner"
FILE = "captioner.safetensors"
SCENES = 300
LONGEST = 15  # words and END of the longest caption, and one more


@dataclass
class Written:
    """What a decoder wrote about some scenes: captions (B, T) after START, and weights (B, T, N) at each word."""

    captions: Tensor
    weights: Tensor


def captioner(student: Student) -> StudentModule:
    """Return the student's captioner with the weights that were handed in, or fail with what is wrong with them."""
    return checkpoint.load(student, NAME, FILE)


@functools.lru_cache(maxsize=4)
def scenes_of(seed: int):
    """Return the held-out scenes on which a captioner is judged; the TA's seed decides which."""
    from course_lib.data import draw_scenes

    return draw_scenes(SCENES, int(Draw(seed, NAME).integers(2**40)), "held_out")


def cells_of(scenes) -> Tensor:
    """Return the features of the scenes, (B, N, D)."""
    from course_lib.data import scene_features

    return scene_features(scenes.images).flatten(2).transpose(1, 2).contiguous()


def write(module: StudentModule, cells: Tensor) -> Written:
    """Let the captioner write greedily, word by word. It is only ever told the words that it has written itself."""
    from course_lib.data import END, PAD, START, scene_vocabulary

    captions = torch.full((len(cells), 1), START)
    weights = torch.empty(0)
    while captions.shape[1] <= LONGEST and not (captions == END).any(1).all():
        logits, weights = expect.pair(module(cells, captions), "logits", "weights")
        setting = f"features {tuple(cells.shape)}, captions {tuple(captions.shape)}"
        expect.shape(logits, (*captions.shape, len(scene_vocabulary())), "logits", "(B, T, V)", setting)
        expect.shape(weights, (*captions.shape, cells.shape[1]), "weights", "(B, T, N)", setting)
        ended = (captions == END).any(1)
        captions = torch.cat((captions, logits[:, -1].argmax(1).masked_fill(ended, PAD)[:, None]), dim=1)
    return Written(captions[:, 1:], weights)


def written(student: Student, seed: int):
    """Return (scenes, cells, captioner, what it wrote). Asked anew by every check: the answer's surroundings may have changed."""
    module = captioner(student)
    scenes = scenes_of(seed)
    cells = cells_of(scenes)
    return scenes, cells, module, write(module, cells)


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
