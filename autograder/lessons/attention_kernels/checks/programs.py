"""Run the programs of a kernel in random order on a memory of the grader's own, and look at their loads and stores."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Request, StandIn, Student, all_of, expect, no_return


def far_below_zero(draw: Draw, queries: int, keys: int, width: int) -> tuple[Tensor, Tensor]:
    """Draw queries and keys with scores from −30,000 down, so far apart that one key of each query has all the weight."""
    Q, K = torch.zeros(queries, width, dtype=torch.float64), torch.zeros(keys, width, dtype=torch.float64)
    Q[:, 0] = width**0.5
    K[:, 0] = -30_000.0 - 200 * draw.permutation(keys)
    return Q, K


#: What stands where a kernel should store nothing.
SENTINEL = 12345.0
_GAP = 64
_STORE = ("addresses", "values", "mask")
_KNOWS_ONLY = (
    "A program knows only what it has loaded itself: nothing is left of another one. "
    "Look at the mask and at the end of its loop."
)
_ALL_AT_ONCE = (
    "A program has room for some tiles, and not for as many as the matrices have. Walk over them in a loop, one tile of each "
    "input at a time, and keep only what the next step needs."
)
#: A load may read the tiles of two inputs at once.
_TILES = 2
_ONCE = "Memory is slow. Keep what a load returned, and load before the loop what it does not change."
_ALL_NEEDED = "Look at the rows and columns that the program's number stands for, and at where the loop ends."


@dataclass
class Layout:
    """Matrices in one row of numbers, their rows ``stride`` apart: NaN or sentinels lie between rows and matrices.

    The numbers are float32, as a device memory's are: a kernel that sums in ``torch.zeros(...)`` is right.
    """

    numbers: Tensor = field(default_factory=lambda: torch.full((_GAP,), math.nan))
    inside: list[Tensor] = field(default_factory=list)  # the addresses of the numbers of each matrix

    def put(self, matrix: Tensor, stride: int) -> int:
        """Append a matrix, and return its address."""
        rows = torch.full((len(matrix), stride), math.nan)
        rows[:, : matrix.shape[1]] = matrix
        start = self._append(rows.flatten())
        self.inside.append(block_of(start, range(len(matrix)), range(matrix.shape[1]), stride))
        return start

    def room(self, rows: int, stride: int) -> int:
        """Append room for a result, full of sentinels, and return its address."""
        return self._append(torch.full((rows * stride,), SENTINEL))

    def _append(self, part: Tensor) -> int:
        start = len(self.numbers)
        self.numbers = torch.cat([self.numbers, part, torch.full((_GAP,), math.nan)])
        return start


@dataclass
class Run:
    """The memory after all programs, the addresses of the matrices, and what each program has loaded and stored.

    ``largest_load``: how many numbers the largest load of a program read.
    """

    numbers: Tensor
    inside: Tensor
    loaded: dict[int, Tensor] = field(default_factory=dict)
    largest_load: dict[int, int] = field(default_factory=dict)
    stored: dict[int, Tensor] = field(default_factory=dict)


def run(
    student: Student, name: str, layout: Layout, programs: int, args: Sequence[Any], draw: Draw, stores: int = 1
) -> Run:
    """Run the programs in random order."""
    result = Run(layout.numbers.clone(), torch.cat(layout.inside))
    order = torch.randperm(programs, generator=draw.generator).tolist()
    for program in order:
        memory = StandIn("course_lib.memory.Memory", {"numbers": result.numbers})
        answer = student.answer(Request(name, (memory, program, *args)))
        kept = answer.args_after[0]
        result.loaded[program], result.largest_load[program] = kept.loaded, kept.largest_load
        result.stored[program] = _store(answer.value, result.numbers, stores, f"program {program} of {programs}")
    return result


def _store(value: Any, numbers: Tensor, stores: int, setting: str) -> Tensor:
    """Carry out the stores of a program, and return their addresses."""
    if value is None:
        raise no_return()
    if stores == 1:
        triples = [value]
    elif isinstance(value, tuple | list) and len(value) == stores:
        triples = list(value)
    else:
        raise CheckFailure(
            "type",
            f"{stores} stores are expected, each (addresses, values, mask).",
            setting=setting,
            yours=f"a {type(value).__name__}",
            received=type(value).__name__,
            cause="wrong number of results",
        )
    written = []
    for triple in triples:
        addresses, values, mask = all_of(triple, _STORE)
        if addresses.dtype != torch.int64 or mask.dtype != torch.bool:
            raise CheckFailure(
                "dtype",
                "Addresses should be int64, and the mask boolean.",
                setting=setting,
                yours=f"{addresses.dtype} and {mask.dtype}",
                received=str(mask.dtype),
                cause="wrong types of a store",
                hint="Look at the order: addresses, values, mask.",
            )
        try:
            values, mask = values.expand(addresses.shape), mask.expand(addresses.shape)
        except RuntimeError:
            raise CheckFailure(
                "shape",
                "The shapes of a store's parts do not match.",
                setting=setting,
                expected=f"values and a mask for addresses {tuple(addresses.shape)}",
                yours=f"{tuple(values.shape)} and {tuple(mask.shape)}",
                received=list(values.shape),
            ) from None
        places = addresses[mask]
        if places.numel() and not 0 <= int(places.min()) <= int(places.max()) < len(numbers):
            raise _outside("Numbers are stored beyond the memory.", setting, "stored outside")
        if places.numel() > len(numbers):
            raise _outside("More numbers are stored than the memory holds.", setting, "stored again and again")
        numbers[places] = values[mask].to(numbers.dtype)
        written.append(places)
    return torch.cat(written)


def _outside(message: str, setting: str, cause: str) -> CheckFailure:
    return CheckFailure(
        "addresses",
        message,
        setting=setting,
        expected="only numbers of its own",
        yours="others",
        received=cause or "stored outside",
        cause=cause,
        hint="Look at the mask: which rows and columns of the block lie inside the matrix? And look at the addresses: each row "
        "begins `stride` behind the one before it.",
    )


def block_of(start: int, rows: range, columns: range, stride: int) -> Tensor:
    """Return the addresses of these rows and columns of a matrix."""
    i, j = torch.tensor(list(rows), dtype=torch.int64), torch.tensor(list(columns), dtype=torch.int64)
    return (start + i[:, None] * stride + j).flatten()


def stores_only(run: Run, own: Mapping[int, Tensor], setting: str) -> None:
    """Fail if a program stores to an address that is not its own, or leaves one of these out."""
    for program, places in run.stored.items():
        if not bool(torch.isin(places, own[program]).all()):
            raise _outside(f"Program {program} stores to addresses that are not its own.", setting, "")
        if not bool(torch.isin(own[program], places).all()):
            hint = "Look at the mask, and at the block that the program's number stands for."
            raise _miscounted(
                f"Program {program} does not store all of its numbers.",
                setting,
                (f"{len(own[program])} numbers", f"{len(places)}"),
                ("numbers missing", "numbers not stored", hint),
            )


def loads_only(
    run: Run,
    needed: Mapping[int, Tensor],
    setting: str,
    may: Mapping[int, Tensor] | None = None,
    hint: str = _ALL_NEEDED,
) -> None:
    """Fail unless a program loads each address that it needs, once, and no others, but for those that it ``may`` load.

    ``hint``: where to look if an address that is not needed is that of a number in a matrix.
    """
    for program, places in run.loaded.items():
        count = f"{len(needed[program])} numbers"
        more = places[~torch.isin(places, (may or needed)[program])]
        if len(more) and bool(torch.isin(more, run.inside).all()):
            sentence = f"Program {program} loads numbers of the matrices that it does not need."
            yours = f"{len(more.unique())} more"
            raise _miscounted(sentence, setting, (count, yours), ("loaded without need", "loaded without need", hint))
        if len(more):
            raise _outside(f"Program {program} loads from addresses beyond its matrices.", setting, "loaded outside")
        if not bool(torch.isin(needed[program], places).all()):
            sentence = f"Program {program} does not load all of the numbers that it needs."
            causes = ("numbers not loaded", "numbers not loaded", _KNOWS_ONLY)
            raise _miscounted(sentence, setting, (count, f"{len(places)}"), causes)
        if len(places.unique()) < len(places):
            sentence = f"Program {program} loads numbers more than once."
            causes = ("loaded twice", "numbers loaded twice", _ONCE)
            raise _miscounted(sentence, setting, (f"{len(places.unique())} loads", f"{len(places)}"), causes)


def loads_tiles(run: Run, tile: int, setting: str) -> None:
    """Fail if a load reads more than two tiles of ``tile`` numbers, such as those of two inputs."""
    most = _TILES * tile
    for program, numbers in run.largest_load.items():
        if numbers > most:
            sentence = f"A load of program {program} reads more than two tiles."
            counts = f"at most {most} numbers in a load", f"{numbers}"
            raise _miscounted(sentence, setting, counts, ("all at once", "all loaded at once", _ALL_AT_ONCE))


def _miscounted(sentence: str, setting: str, counts: tuple[str, str], why: tuple[str, str, str]) -> CheckFailure:
    """Return the failure of a program that reached other numbers than it should.

    ``counts``: how many it should reach, and how many it did; ``why``: what was received, its cause, and a hint.
    """
    (expected, yours), (received, cause, hint) = counts, why
    return CheckFailure(
        "addresses",
        sentence,
        setting=setting,
        expected=expected,
        yours=yours,
        received=received,
        cause=cause,
        hint=hint,
    )


def result_is(run: Run, start: int, want: Tensor, stride: int, what: str, setting: str, size: float = 4.0) -> None:
    """Fail unless the memory from ``start`` on holds the matrix ``want``, with ``stride`` numbers from row to row."""
    got = run.numbers[block_of(start, range(len(want)), range(want.shape[1]), stride)].view(want.shape)
    expect.allclose(got, want, what, size=size, setting=setting)
