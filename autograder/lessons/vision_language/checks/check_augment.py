"""augment(images, generator, most=1).

What is random is judged by counts (autograder.checks.dropout): about 100 comparisons, so that a right answer is
refused less than once in a million gradings.
"""

import itertools
from collections.abc import Callable
from typing import NoReturn

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    SeededGenerator,
    Student,
    exercise,
    expect,
    points,
    promises,
    within_error_rate,
)

NAME = "augment"
WHAT = "The result"
#: (B, C, H, W, most), the smallest first.
SIZES = ((1, 1, 3, 4, 1), (1, 3, 5, 7, 0), (2, 3, 4, 4, 1), (5, 3, 8, 8, 1), (3, 2, 7, 5, 2), (2, 3, 9, 4, 3))
MANY = (2000, 3, 5, 4)
#: Pictures for the orders of channels alone. The naive shuffle, which swaps each channel with any, gives 4 and 5 of 27 to each.
ORDERS = (6000, 3, 2, 2)
#: Largest χ² of counts of six orders that chance explains: exceeded once in twenty million times.
CHI_SQUARE = 42.0
_AXES = ((0, "down"), (1, "to the right"))
#: Calls and pictures in each, to tell what is the same in all of a call from what happens to be the same in one.
CALLS, FEW = 8, 50


def _fail(message, setting, cause, hint, expected="", yours="", kind="augmentation") -> NoReturn:
    raise CheckFailure(
        kind, message, setting=setting, expected=expected, yours=yours, received=cause, cause=cause, hint=hint
    )


def _augmented(student: Student, draw: Draw, images: Tensor, most: int | None) -> tuple[Tensor, str]:
    """Return what the student makes of the pictures, and the setting."""
    options = {} if most is None else {"most": most}
    got = expect.tensor(student.augment(images, SeededGenerator(int(draw.integers(2**40))), **options), WHAT)
    setting = f"images {tuple(images.shape)} = (B, C, H, W), most = {1 if most is None else most}"
    expect.shape(got, images.shape, WHAT, "(B, C, H, W), as images", setting)
    return got, setting


def _moved(images: Tensor, down: int, right: int) -> Tensor:
    """Return the pictures with what lay in row h now in row h + down, and likewise to the right; edges are repeated."""
    H, W = images.shape[-2:]
    rows, columns = ((torch.arange(n) - by).clamp(0, n - 1) for n, by in ((H, down), (W, right)))
    return images[..., rows, :][..., columns]


def _what_was_done(images: Tensor, got: Tensor, most: int) -> tuple[Tensor, Tensor, Tensor, list]:
    """Find the move and the order of channels that turn each picture into its result.

    Returns (found (B,), moves (B, 2), indices of the orders (B,), all orders).
    """
    orders = list(itertools.permutations(range(images.shape[1])))
    B = len(images)
    allowed, moves, order = torch.zeros(B, dtype=torch.bool), torch.zeros(B, 2).long(), torch.zeros(B).long()
    for down in range(-most, most + 1):
        for right in range(-most, most + 1):
            moved = _moved(images, down, right)
            for number, channels in enumerate(orders):
                same = (got == moved[:, list(channels)]).flatten(1).all(1)
                allowed |= same
                moves[same], order[same] = torch.tensor([down, right]), number
    return allowed, moves, order, orders


@exercise(NAME)
@points(1)
@promises
def check_shape(student: Student, draw: Draw) -> None:
    """Pictures (B, C, H, W) give as many others of the same size and dtype, and are not changed"""
    for B, C, H, W, most in SIZES:
        images = draw.normal(B, C, H, W)
        got, setting = _augmented(student, draw, images, most)
        expect.dtype(got, images.dtype, WHAT, setting)
        other, _ = _augmented(student, draw, images + 1, most)
        expect.depends_on_its_inputs(got, other, WHAT)
        if not bool(torch.isin(got, images).any()):
            _fail(
                "No number of the result is one of the pictures'.",
                setting,
                "other numbers",
                "Move pixels; leave them as they are.",
            )
    images = draw.normal(40, 3, 5, 4).float()
    answer = student.answer(Request(NAME, (images, SeededGenerator(draw.new_seed()))))
    got = expect.tensor(answer.value, WHAT)
    expect.dtype(got, torch.float32, WHAT)
    if got.shape == images.shape and torch.equal(got, images):
        _fail(
            "All 40 pictures come back as they were.", "", "nothing changed", "Move them, and shuffle their channels."
        )


@exercise(NAME)
@points(2)
def check_each_is_moved_and_recoloured(student: Student, draw: Draw) -> None:
    """Each result is its own picture, moved by at most `most` pixels with its edge repeated, its channels in another order"""
    for B, C, H, W, most in (*SIZES, (40, 3, 6, 5, None), (40, 3, 6, 5, 2)):
        images = draw.normal(B, C, H, W)
        if B > 2:
            images = images.transpose(0, 1).contiguous().transpose(0, 1)
        got, setting = _augmented(student, draw, images, most)
        allowed, *_ = _what_was_done(images, got.to(images.dtype), 1 if most is None else most)
        if B == 40 and torch.equal(got, images):
            _fail(
                f"All {B} pictures come back as they were.",
                setting,
                "nothing changed",
                "Move them, and shuffle their channels.",
            )
        if not bool(allowed.all()):
            cause, hint = _likely(images, got.to(images.dtype), 1 if most is None else most)
            number = int((~allowed).nonzero()[0])
            _fail(
                "A result is not its picture, moved and with its channels in another order.",
                setting,
                cause,
                hint,
                expected="one of the possible views of each picture",
                yours=f"picture {number} is none of them; first row {expect.numbers(got[number, 0, 0])}",
            )


def _likely(images: Tensor, got: Tensor, most: int) -> tuple[str, str]:
    """Return the likely cause of results that are no views, and a hint."""
    H, W = images.shape[-2:]
    farther = _what_was_done(images, got, most + 1)[0]
    if bool(farther.all()):
        return "moved too far", "A window begins at 0 … 2 · most in the wide picture: 2 · most + 1 places."
    if images.shape[1] > 1 and _channels_apart(images, got, most):
        return (
            "channels moved apart",
            "All channels of a picture move together: two numbers for each picture, not for each channel.",
        )
    inner = (..., slice(most, H - most), slice(most, W - most))
    if 2 * most < H and 2 * most < W and _inside_right(images, got, most, inner):
        return "edges not repeated", "What comes in at an edge repeats the edge's pixels: F.pad(..., mode='replicate')."
    return "", ""


def _channels_apart(images: Tensor, got: Tensor, most: int) -> bool:
    """Return whether the results have all channels of their pictures, in any order, each moved by numbers of its own."""
    shifts = range(-most, most + 1)
    moved = torch.stack([_moved(images, down, right) for down in shifts for right in shifts])  # (moves, B, C, H, W)
    # (B, C of the result, C of the picture)
    same = (got[None, :, :, None] == moved[:, :, None]).flatten(4).all(4).any(0)
    channels = torch.arange(images.shape[1])
    orders = itertools.permutations(range(images.shape[1]))
    return bool(torch.stack([same[:, channels, list(order)].all(1) for order in orders]).any(0).all())


def _inside_right(images: Tensor, got: Tensor, most: int, inner: tuple) -> bool:
    """Return whether all results are possible views as far as no edge is concerned."""
    right = torch.zeros(len(images), dtype=torch.bool)
    orders = itertools.permutations(range(images.shape[1]))
    for down, across, order in itertools.product(*(range(-most, most + 1),) * 2, orders):
        moved = _moved(images, down, across)[:, list(order)]
        right |= (got[inner] == moved[inner]).flatten(1).all(1)
    return bool(right.all())


@exercise(NAME)
@points(1)
def check_every_view_is_as_likely(student: Student, draw: Draw) -> None:
    """Every number of pixels, down and to the right, and every order of channels is as likely; pictures do not go together"""
    images = draw.normal(*MANY)
    for most in (1, 2):
        got, setting = _augmented(student, draw, images, most)
        allowed, moves, order, orders = _what_was_done(images, got.to(images.dtype), most)
        if not bool(allowed.all()):
            _fail("Some results are no views of their pictures.", setting, "", "See the line above.")
        _known_pattern(student, draw, most, setting)
        _never_comes(moves, order, orders, most, setting)
        places, B = 2 * most + 1, len(images)
        for axis, name in _AXES:
            for by in range(-most, most + 1):
                _as_likely(int((moves[:, axis] == by).sum()), B, 1 / places, f"moved {by} {name}", setting)
        for number, channels in enumerate(orders):
            _as_likely(int((order == number).sum()), B, 1 / len(orders), f"channels in the order {channels}", setting)
        _as_likely(int((moves[:, 0] == moves[:, 1]).sum()), B, 1 / places, "moved as far down as to the right", setting)
        first = (moves[:, 0] == most) & (order == 0)
        _as_likely(int(first.sum()), B, 1 / places / len(orders), "moved down most with channels as they were", setting)
        for what, same, share in (
            ("moved down as the next picture", moves[:-1, 0] == moves[1:, 0], 1 / places),
            ("moved to the right as the next picture", moves[:-1, 1] == moves[1:, 1], 1 / places),
            ("with the next picture's order of channels", order[:-1] == order[1:], 1 / len(orders)),
        ):
            for half in (same[::2], same[1::2]):  # of disjoint pairs, which are independent
                _as_likely(int(half.sum()), len(half), share, what, setting)
    _orders_are_as_likely(student, draw)


def _orders_are_as_likely(student: Student, draw: Draw) -> None:
    """Fail if some orders of the channels come more often than others by as little as a naive shuffle makes them."""
    images = draw.normal(*ORDERS)
    got, setting = _augmented(student, draw, images, 0)
    _, _, order, orders = _what_was_done(images, got.to(images.dtype), 0)
    counts, even = torch.bincount(order, minlength=len(orders)), len(images) / len(orders)
    if float(((counts - even).square() / even).sum()) <= CHI_SQUARE:
        return
    rare, common = (orders[int(place)] for place in (counts.argmin(), counts.argmax()))
    _fail(
        "Some orders of the channels come more often than others.",
        setting,
        "orders of the channels not equally likely",
        "Draw the whole order at once, as torch.randperm or the argsort of random numbers does. Swaps of each place with any "
        "other do not give each order the same chance.",
        expected=f"each of the {len(orders)} orders {even:.0f} times, give or take 100",
        yours=f"{rare} {int(counts.min())} times, {common} {int(counts.max())} times",
    )


def _known_pattern(student: Student, draw: Draw, most: int, setting: str) -> None:
    """Fail and say which if the pictures of many calls follow one of the patterns that people really write.

    In one call alone, pictures that are all moved alike may by chance also have stayed where they were.
    """
    calls = [_done_in_one_call(student, draw, most) for _ in range(CALLS)]
    alone = "Each picture gets numbers of its own: one for down, one for right, and an order of channels."
    patterns: tuple[tuple[Callable[[Tensor, Tensor], bool], str, str, str], ...] = (
        (
            lambda m, _: not m.any(),
            "No picture is moved",
            "not moved",
            "Where does each window begin? In the wide picture, from 0 to 2 · most.",
        ),
        (lambda m, _: not m[:, 1].any(), "No picture is moved to the side", "moved up and down only", alone),
        (lambda m, _: not m[:, 0].any(), "No picture is moved up or down", "moved to the sides only", alone),
        (lambda m, _: bool((m == m[0]).all()), "All pictures are moved alike", "all pictures moved alike", alone),
        (
            lambda m, _: torch.equal(m[:, 0], m[:, 1]),
            "Each picture is moved as far to the right as down",
            "moved as far to the right as down",
            alone,
        ),
        (
            lambda _, o: not o.any(),
            "All pictures keep the order of their channels",
            "channels keep their order",
            "Look at the index of the channels.",
        ),
        (
            lambda _, o: bool((o == o[0]).all()),
            "All pictures get the same order of channels",
            "one order of channels for all pictures",
            alone,
        ),
    )
    for holds, message, cause, hint in patterns:
        if all(holds(moves, order) for moves, order in calls):
            _fail(f"{message}, in each of {CALLS} calls.", setting, cause, hint, yours=cause)


def _never_comes(moves: Tensor, order: Tensor, orders: list, most: int, setting: str) -> None:
    """Fail if of thousands of pictures none is moved by one of the numbers of pixels, or has one of the orders of channels."""
    every = [(f"{by} {name}", moves[:, axis] == by) for axis, name in _AXES for by in range(-most, most + 1)]
    missing = [what for what, came in every if not bool(came.any())]
    if missing:
        _fail(
            f"Of {len(moves)} pictures none is moved by {' or '.join(missing)}.",
            setting,
            "some moves never come",
            "There are 2 · most + 1 places for a window to begin, from 0 to 2 · most, down and to the right. Look at what is "
            "drawn, and whether its upper bound is among it.",
        )
    unseen = [str(channels) for number, channels in enumerate(orders) if not bool((order == number).any())]
    if unseen:
        _fail(
            f"Of the {len(orders)} orders of {len(orders[0])} channels, {len(unseen)} never come in {len(order)} pictures.",
            setting,
            "some orders of the channels never come",
            "Each order has to come as often as the others. Which ones can your way to make an order give?",
            expected=f"some pictures with the order {', '.join(unseen[:3])}",
            yours="none",
        )


def _done_in_one_call(student: Student, draw: Draw, most: int) -> tuple[Tensor, Tensor]:
    """Return how each of a few pictures has been moved in one call, and the number of its order of channels."""
    images = draw.normal(FEW, *MANY[1:])
    got, _ = _augmented(student, draw, images, most)
    _, moves, order, _ = _what_was_done(images, got.to(images.dtype), most)
    return moves, order


def _as_likely(count: int, trials: int, share: float, what: str, setting: str) -> None:
    if not within_error_rate(count, trials, share):
        _fail(
            "Some views are drawn too often or too rarely.",
            setting,
            "not drawn evenly, or not for each picture",
            "Draw for each picture by itself, once for down, once for right and once for the channels; count the values "
            "that may come out, the largest among them.",
            expected=f"{share:.0%} of the pictures {what}",
            yours=f"{count / trials:.1%} of {trials}",
        )


@exercise(NAME)
@points(1)
def check_generator(student: Student, draw: Draw) -> None:
    """All chance comes from `generator`: the same seed gives the same views, and the next call other ones"""
    images, seed = draw.normal(30, 3, 5, 4), draw.new_seed()
    first, again, other = (
        expect.tensor(student.answer(Request(NAME, (images, SeededGenerator(s)))).value, WHAT)
        for s in (seed, seed, seed // 2)
    )
    second = expect.tensor(student.answer(Request(NAME, (images, SeededGenerator(seed)), times=2)).value, WHAT)
    if not torch.equal(first, again):
        _fail(
            "Two generators with the same seed give different views.",
            "",
            "generator not used",
            "Pass generator=generator to every function that draws. Otherwise a training cannot be repeated.",
        )
    if torch.equal(first, other) or torch.equal(first, second):
        _fail(
            "The views do not change with the generator.",
            "another seed, or a second call with the same generator",
            "always the same views",
            "Draw from the generator as it comes, without a seed of your own: the second view must be another one.",
        )
