"""Random inputs of a check, and comparisons of plain data: ids, lists of ids, pairs, and counts by name.

Tuples equal lists, and the keys of a dictionary are compared as text, because the sandbox returns them so.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checks.expect import says
from autograder.runtime.errors import CheckFailure, no_return
from course_lib.generators import generator_of


@dataclass(frozen=True)
class Sizes:
    """A different prime for each dimension, so that an answer with two axes swapped cannot have the right shape."""

    B: int = 2
    H: int = 3
    N_Q: int = 5
    N_K: int = 7
    D_Q: int = 11
    D_V: int = 13
    N_X: int = 5
    D_X: int = 17


class Draw:
    """Random tensors for one check. The same seed and the same check always give the same tensors.

    The state of torch's generator can be computed from its output. So each draw has its own generator, seeded with a hash of the
    check's seed: earlier inputs do not reveal later ones.
    """

    def __init__(self, seed: int, check: str):
        self.seed, self.check, self.draws = seed, check, 0

    @property
    def generator(self) -> torch.Generator:
        """Return a new generator, a different one for each call."""
        self.draws += 1
        digest = hashlib.sha256(f"{self.seed}/{self.check}/{self.draws}".encode()).digest()
        return generator_of(int.from_bytes(digest[:8], "big"))

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Return normally distributed numbers with mean 0 and standard deviation ``scale``."""
        return (torch.randn(shape, generator=self.generator, dtype=torch.float64) * scale).to(dtype)

    def allowed(self, *shape: int) -> Tensor:
        """Return a random mask with a visible and a hidden key in each row; from three rows on, the last shows every key."""
        mask = torch.rand(shape, generator=self.generator) < 0.6
        visible = self.integers(shape[-1], *shape[:-1], 1)
        mask.scatter_(-1, visible, True)
        mask.scatter_(-1, (visible + 1 + self.integers(shape[-1] - 1, *shape[:-1], 1)) % shape[-1], False)
        if mask.numel() >= 3 * shape[-1]:
            mask.view(-1, shape[-1])[-1] = True
        return mask

    def integers(self, below: int, *shape: int) -> Tensor:
        """Return whole numbers from 0 to ``below`` − 1."""
        return torch.randint(below, shape, generator=self.generator)

    def new_seed(self) -> int:
        """Return a seed for other draws, from 0 to 2⁶³ − 2."""
        return int(self.integers(2**63 - 1))

    def permutation(self, n: int) -> Tensor:
        """Return a permutation of 0 … n − 1 that moves every element (n ≥ 2): one cycle through all of them."""
        cycle = torch.randperm(n, generator=self.generator)
        order = torch.empty_like(cycle)
        order[cycle] = cycle.roll(1)
        return order

    def attention_inputs(
        self, lead: Sequence[int], sizes: Sizes, scale: float = 1.0, dtype: torch.dtype = torch.float64
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return Q (lead, N_Q, D_Q), K (lead, N_K, D_Q) and V (lead, N_K, D_V)."""
        Q = self.normal(*lead, sizes.N_Q, sizes.D_Q, scale=scale, dtype=dtype)
        K = self.normal(*lead, sizes.N_K, sizes.D_Q, scale=scale, dtype=dtype)
        return Q, K, self.normal(*lead, sizes.N_K, sizes.D_V, dtype=dtype)


#: Maximum of characters shown of a result.
_SHOWN = 70


def resolve(value: Any) -> Any:
    """Replace tuples by lists and dictionary keys by text, so that == compares values and ignores these types."""
    if isinstance(value, Mapping):
        return {str(key): resolve(item) for key, item in value.items()}
    return [resolve(item) for item in value] if isinstance(value, tuple | list) else value


def format_plain(value: Any) -> str:
    """Format the value as short text."""
    text = str(resolve(value)) if isinstance(value, tuple | list | Mapping) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def is_integral(value: Any) -> bool:
    """Return whether this is a Python int: neither a bool nor a tensor."""
    return isinstance(value, int) and not isinstance(value, bool)


def token_ids(value: Any, what: str, setting: str = "") -> list[int]:
    """Return a list or tuple of integers as a list, or fail with a description of the value received."""
    if value is None:
        raise no_return()
    strange = [item for item in value if not is_integral(item)] if isinstance(value, tuple | list) else [value]
    if strange:
        inside = f" with a {type(strange[0]).__name__} in it" if isinstance(value, tuple | list) else ""
        raise of_another_type(
            value, f"{what} should be a list of ids, which are whole numbers.", "no list of ids", setting, inside
        )
    return list(value)


def of_another_type(
    value: Any, message: str, cause: str, setting: str = "", more: str = "", hint: str = ""
) -> CheckFailure:
    """Return the failure for a result of the wrong type."""
    kind = f"{type(value).__name__}{more}"
    return CheckFailure("type", message, setting=setting, yours=f"a {kind}", received=kind, cause=cause, hint=hint)


def equal(got: Any, want: Any, what: str, setting: str = "") -> None:
    """Fail unless two values are equal."""
    received, expected = resolve(got), resolve(want)
    if type(received) is not type(expected) or received != expected:
        raise CheckFailure(
            "value",
            f"{says(what, 'is')} wrong.",
            setting=setting,
            expected=_around(expected, received),
            yours=_around(received, expected),
            received=received,
        )


def _around(value: Any, counterpart: Any) -> str:
    """Format the value as text; a long list only around the place where it differs from ``counterpart``."""
    if not isinstance(value, Sequence) or not isinstance(counterpart, Sequence) or len(str(value)) <= _SHOWN:
        return format_plain(value)
    first = next(
        (n for n, (a, b) in enumerate(zip(value, counterpart, strict=False)) if a != b),
        min(len(value), len(counterpart)),
    )
    return f"{format_plain(value[first:])}, from place {first} on, of {len(value)}"


def id_tensor(value: Tensor, what: str) -> None:
    """Fail unless ``value`` holds int64 ids, as argmax and topk return them."""
    if value.dtype != torch.int64:
        raise CheckFailure(
            "dtype",
            f"{what} should hold ids as 64-bit integers (torch.int64).",
            expected="torch.int64",
            yours=str(value.dtype),
            received=str(value.dtype),
            cause="ids of another dtype",
            hint="argmax and topk return such ids. Create new tensors for ids with dtype=torch.int64.",
        )
