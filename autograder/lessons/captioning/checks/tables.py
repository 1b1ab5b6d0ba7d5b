"""Tables for a TableDecoder in which no two choices are ever nearly alike, and what a search over them must find."""

import itertools
import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from autograder.checks import Draw, StandIn
from autograder.lessons.captioning.references import END, PAD, START

#: Words that no caption should hold are this unlikely: whether a search rules them out itself makes no difference.
NEVER = -60.0


def decoder(table: Tensor) -> StandIn:
    """Return a TableDecoder with this table."""
    return StandIn("course_lib.layers.TableDecoder", {"table": table})


def spaced_table(draw: Draw, V: int) -> Tensor:
    """Return logits (V, V, V), those for one next word at least 1/V apart, also after whole numbers were added to them.

    PAD and START are never chosen.
    """
    places = torch.argsort(draw.normal(V, V, V), dim=-1).double()
    table = draw.integers(4, V, V, V) + places / V
    table[..., PAD], table[..., START] = NEVER, NEVER - 1
    return table


def whole_features(draw: Draw, B: int, N: int, V: int) -> tuple[Tensor, Tensor]:
    """Return features (B, N, V) whose means over the cells are whole numbers, and these means (B, V)."""
    means = (draw.integers(4, B, V) * 1.0).double()
    means[:, [PAD, START, END]] = 0.0
    noise = draw.normal(B, N, V)
    return noise - noise.mean(1, keepdim=True) + means[:, None], means


def greedy(table: Tensor, added: Tensor, max_length: int) -> list[int]:
    """Return the words that greedy decoding of one picture takes; ``added`` (V,) is what the picture adds to the logits."""
    words: list[int] = []
    earlier, last = START, START
    while len(words) < max_length and last != END:
        earlier, last = last, int((table[earlier, last] + added).argmax())
        words.append(last)
    return words


def log_probabilities(table: Tensor, added: Tensor, caption: Sequence[int]) -> list[float]:
    """Return the log-probability of every word of a caption after those before it."""
    P = torch.log_softmax(table + added, dim=-1)
    before = [START, START, *caption]
    return [float(P[a, b, c]) for a, b, c in zip(before, before[1:], before[2:], strict=False)]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def everything(table: Tensor, added: Tensor, max_length: int) -> Iterator[tuple[tuple[int, ...], list[float]]]:
    """Yield every caption that ends in END within ``max_length`` words, with its words' log-probabilities."""
    P = torch.log_softmax(table + added, dim=-1).tolist()
    words = [w for w in range(len(added)) if w not in (PAD, START, END)]
    for length in range(max_length):
        for inner in itertools.product(words, repeat=length):
            before = (START, START, *inner, END)
            yield (*inner, END), [P[a][b][c] for a, b, c in zip(before, before[1:], before[2:], strict=False)]


def exhaustive_case(draw: Draw, V: int, N: int, max_length: int) -> tuple[Tensor, Tensor, tuple[int, ...], float]:
    """Return (table, features, best caption, its mean) such that one caption is clearly the best by its mean.

    It is not found by comparing sums, nor probabilities instead of their logarithms, nor by greedy decoding, nor by going on
    with the most probable words after its own first one; and END at once has not the highest sum either.
    """
    while True:
        table = spaced_table(draw, V) * 0.8
        table[..., END] += 0.5 * draw.normal(V, V)
        features, means = whole_features(draw, 1, N, V)
        ranked = sorted(everything(table, means[0], max_length), key=lambda pair: -mean(pair[1]))
        (best, values), (_, second) = ranked[:2]
        rivals = [
            max(ranked, key=lambda pair: sum(pair[1]))[0],
            max(ranked, key=lambda pair: sum(map(math.exp, pair[1])))[0],
            max(ranked, key=lambda pair: sum(map(math.exp, pair[1])) / len(pair[1]))[0],
            greedy(table, means[0], max_length),
            _most_probable_after(table, means[0], best[0], max_length),
        ]
        clear = mean(values) - mean(second) > 0.02 and len(best) > 2 and len(rivals[0]) > 1
        if clear and all(tuple(rival) != best for rival in rivals):
            return table, features, best, mean(values)


def _most_probable_after(table: Tensor, added: Tensor, first: int, max_length: int) -> list[int]:
    words, earlier, last = [first], START, first
    while len(words) < max_length and last != END:
        earlier, last = last, int((table[earlier, last] + added).argmax())
        words.append(last)
    return words


def some_words(draw: Draw, V: int, count: int) -> list[int]:
    """Draw that many different words, none of them PAD, START or END."""
    words = [w for w in range(V) if w not in (PAD, START, END)]
    order = torch.argsort(draw.normal(len(words)))
    return [words[i] for i in order[:count].tolist()]


def scripted_table(V: int, script: dict[tuple[int, int], dict[int, float]]) -> Tensor:
    """Return a table in which only the words of ``script`` can follow: (earlier, last) → {next word: logit}.

    After what the script does not tell, one word is as improbable as the other, and END more so.
    """
    table = torch.zeros(V, V, V, dtype=torch.float64) + 0.01 * torch.arange(V)
    table[..., [PAD, START, END]] = NEVER
    for (earlier, last), logits in script.items():
        table[earlier, last] = NEVER + 0.01 * torch.arange(V)
        for word, logit in logits.items():
            table[earlier, last, word] = logit
    return table


def beam(
    table: Tensor,
    k: int,
    most: int,
    *,
    shrinks: bool = False,
    stops: bool = False,
    keeps: bool = False,
    unfinished: bool = False,
    refilled: bool = False,
) -> tuple[tuple[int, ...], float]:
    """Return (caption, mean) that a beam search over a table finds, without a picture; the flags make known mistakes.

    ``shrinks``: each finished sentence takes a place of the beam for good. ``stops``: k finished sentences are enough. ``keeps``:
    finished sentences stay among the best k. ``unfinished``: those without an end count beside them. ``refilled``: places of
    finished ones go to what lies behind the best k.
    """
    P = torch.log_softmax(table, dim=-1).tolist()
    alive: list[tuple[float, tuple[int, ...]]] = [(0.0, (START, START))]
    finished: list[tuple[float, tuple[int, ...]]] = []
    for length in range(1, most + 1):
        room = k - len(finished) if shrinks else k
        extended = [(total + p, (*words, w)) for total, words in alive for w, p in enumerate(P[words[-2]][words[-1]])]
        done = [(mean * (len(words) - 2), words) for mean, words in finished] if keeps else []
        ranked = sorted(extended + done, reverse=True)
        best = ranked[:room]
        new = [(total / length, words) for total, words in best if words[-1] == END and len(words) == length + 2]
        finished = [pair for pair in finished if not keeps or pair[1] in [words for _, words in best]] + new
        alive = [(total, words) for total, words in (ranked if refilled else best) if words[-1] != END][:room]
        if not alive or (len(finished) >= k and (stops or shrinks)):
            break
    if unfinished:
        finished += [(total / most, words) for total, words in alive]
    mean_of, words = max(finished) if finished else (alive[0][0] / most, alive[0][1])
    return words[2:], mean_of
