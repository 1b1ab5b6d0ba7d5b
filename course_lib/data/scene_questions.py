"""Questions about scenes, with answers computed from their content; scenes as a few regions, the input of ViLBERT."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from course_lib.data.grammar import DIGITS, PLURALS, RELATIONS, SIZES
from course_lib.data.placement import compare
from course_lib.data.scene_net import SURE, scene_features
from course_lib.data.scenes import HEIGHTS, Scenes
from course_lib.data.vocabulary import Vocabulary
from course_lib.generators import generator_of

NUMBERS = DIGITS[:4]
MIDDLE = "middle"  # the size that captions leave out
KINDS = ("how many", "how many of one", "size", "relation", "which")
ANSWERS = ("yes", "no", *DIGITS, "small", MIDDLE, "large")
LEAST_SURE = 0.05  # minimum probability of a digit in a region


@dataclass(frozen=True)
class Questions:
    """Questions about some scenes.

    scene: the index of the scene; words: the question's; answers: an index into ANSWERS; kinds: an index into KINDS; about: True
    where the question is about digit o of the scene (about all of them for "how many digits").
    """

    scene: Int64[Tensor, " N"]
    words: list[list[str]]
    answers: Int64[Tensor, " N"]
    kinds: Int64[Tensor, " N"]
    about: Bool[Tensor, "N O"]

    def __len__(self) -> int:
        return len(self.words)


def question_vocabulary() -> Vocabulary:
    """Return all words of questions."""
    asking = ("how", "many", "digits", "what", "size", "is", "the", "left", "right", "of", "above", "below")
    return Vocabulary((*asking, *DIGITS, *PLURALS))


def ask_questions(scenes: Scenes, seed: int, kinds: Sequence[str] = KINDS, times: int = 1) -> Questions:
    """Return questions of each of these kinds that fit each scene, always the same ones for one seed.

    `times` questions of each kind, which may repeat:

    - "how many digits": one, two or three.
    - "how many fives": about a digit in the scene or, equally often, about any digit; zero to three.
    - "what size is the five": about a digit whose value occurs once.
    - "is the five above the two": about two digits whose values occur once, and one of which is clearly left of, right of,
    above or
      below the other. The answer is no as often as yes; if it is no, the opposite holds.
    - "what is above the two": about the same two.

    Raises ValueError for an unknown kind, and for `times` below 1.
    """
    if times < 1:
        raise ValueError(f"Expected times of at least 1, got {times}.")
    if strange := [kind for kind in kinds if kind not in KINDS]:
        raise ValueError(f"Expected kinds from {', '.join(map(repr, KINDS))}, got {strange[0]!r}.")
    random = generator_of(seed)
    scene, said, answers, asked_kinds, about = [], [], [], [], []
    for number in range(len(scenes)):
        labels = [label for label in scenes.labels[number].tolist() if label >= 0]
        pairs = _pairs(labels, scenes.boxes[number])
        drawn = [each for _ in range(times) for each in enumerate(_asked(labels, scenes.boxes[number], pairs, random))]
        for kind, asked in drawn:
            if asked and KINDS[kind] in kinds:
                words, answer, places = asked
                scene.append(number)
                said.append(words.split())
                answers.append(ANSWERS.index(answer))
                asked_kinds.append(kind)
                about.append([place in places for place in range(scenes.labels.shape[1])])
    return Questions(torch.tensor(scene), said, torch.tensor(answers), torch.tensor(asked_kinds), torch.tensor(about))


def _pairs(labels: list[int], boxes: Tensor) -> list[tuple[int, int, int]]:
    """Return (a, b, relation) for all ordered pairs of digits that occur once and have a clear relation."""
    alone = _alone(labels)
    pairs = [(a, b, int(compare(boxes[a], boxes[b])[1])) for a in alone for b in alone if a != b]
    return [pair for pair in pairs if pair[2] >= 0]


def _alone(labels: list[int]) -> list[int]:
    return [place for place, label in enumerate(labels) if labels.count(label) == 1]


def _asked(
    labels: list[int], boxes: Tensor, pairs: list[tuple[int, int, int]], random: torch.Generator
) -> list[tuple[str, str, list[int]] | None]:
    """Return, for each kind, the question, its answer and the indices of its digits; None if there is none."""
    chance = torch.rand(4, generator=random).tolist()
    any_digit = int(chance[0] * 20)
    counted = any_digit if any_digit < len(DIGITS) else labels[int(chance[1] * len(labels))]
    alike = [place for place, label in enumerate(labels) if label == counted]
    many = ("how many digits", NUMBERS[len(labels)], list(range(len(labels))))
    of_one = (f"how many {PLURALS[counted]}", NUMBERS[len(alike)], alike)
    return [many, of_one, _size(labels, boxes, _alone(labels), chance[2]), *_relations(labels, pairs, random)]


def _size(labels: list[int], boxes: Tensor, alone: list[int], chance: float) -> tuple[str, str, list[int]] | None:
    if not alone:
        return None
    place = alone[int(chance * len(alone))]
    height = int(boxes[place, 3] - boxes[place, 1])
    return f"what size is the {DIGITS[labels[place]]}", SIZES[HEIGHTS.index(height)] or MIDDLE, [place]


def _relations(
    labels: list[int], pairs: list[tuple[int, int, int]], random: torch.Generator
) -> list[tuple[str, str, list[int]] | None]:
    if not pairs:
        return [None, None]
    (a, b, relation), (c, d, other) = (pairs[int(torch.randint(len(pairs), (), generator=random))] for _ in range(2))
    true = bool(torch.rand((), generator=random) < 0.5)
    said = RELATIONS[relation if true else relation ^ 1]  # left and right, above and below are neighbours in the list
    one = (f"is the {DIGITS[labels[a]]} {said} the {DIGITS[labels[b]]}", "yes" if true else "no", [a, b])
    unique = [x for x, y, r in pairs if y == d and r == other]
    if len(unique) > 1:
        return [one, None]
    return [one, (f"what is {RELATIONS[other]} the {DIGITS[labels[d]]}", DIGITS[labels[c]], [c, d])]


def scene_regions(
    images: Float[Tensor, "B 1 H W"], most: int = 6
) -> tuple[Float[Tensor, "B R 32"], Bool[Tensor, "B R"], Int64[Tensor, "B R"]]:
    """Return the regions of each scene with the highest probability of a digit, as ViLBERT uses an object detector's boxes.

    features: those of `scene_features`, with content divided by 10, so that content and position are of the same order; 0 where
    there are fewer regions than `most`, and `real` is False; cells: the position of each, row · 10 + column of the grid.
    """
    seen = scene_features(images).flatten(2).mT  # (B, 100, 32)
    sure, cells = seen[..., :-2].sum(dim=-1).topk(most, dim=1)
    real = sure >= LEAST_SURE * SURE
    features = seen.gather(1, cells[..., None].expand(-1, -1, seen.shape[-1])) * real[..., None]
    features[..., :-2] /= SURE
    return features, real, cells
