"""Fresh inputs for a check, drawn from a printed seed, and sizes that cannot be confused."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from course_lib.generators import generator_of


@dataclass(frozen=True)
class Sizes:
    """Different primes for every dimension, so that an answer with two axes swapped cannot have the right shape."""

    B: int = 2
    H: int = 3
    N_Q: int = 5
    N_K: int = 7
    D_Q: int = 11
    D_V: int = 13
    N_X: int = 5
    D_X: int = 17


class Draw:
    """Random tensors for one check. The same seed and the same check always give the same tensors."""

    def __init__(self, seed: int, check: str):
        self.seed = seed
        digest = hashlib.sha256(f"{seed}/{check}".encode()).digest()
        self.generator = generator_of(int.from_bytes(digest[:8], "big") >> 1)

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Return normally distributed numbers with mean 0 and standard deviation ``scale``."""
        return (torch.randn(shape, generator=self.generator, dtype=torch.float64) * scale).to(dtype)

    def allowed(self, *shape: int) -> Tensor:
        """Return a random mask in which every row shows a key and hides one; of three rows or more, the last shows all."""
        mask = torch.rand(shape, generator=self.generator) < 0.6
        shown = self.integers(shape[-1], *shape[:-1], 1)
        mask.scatter_(-1, shown, True)
        mask.scatter_(-1, (shown + 1 + self.integers(shape[-1] - 1, *shape[:-1], 1)) % shape[-1], False)
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
