"""Random Markov chains: every sequence has its own rules, which can only be learned from the sequence itself.

The task of B. Edelman et al., "The Evolution of Statistical Induction Heads", NeurIPS 2024, section 2.
"""

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor


def draw_chains(
    count: int, length: int, generator: torch.Generator, states: int = 8, concentration: float = 0.2
) -> tuple[Int64[Tensor, "count length"], Float[Tensor, "count states states"]]:
    """Return (ids, tables): sequences, each drawn from a Markov chain of its own, and the chains.

    tables[b, i, j] is the probability that j follows i in sequence b. Each row of a table is drawn from the symmetric Dirichlet
    distribution with this concentration: if it is small, few tokens can follow; if it is 1, all distributions are equally
    probable. The first token is uniform. Raises ValueError unless the concentration is above 0 and there is a state.
    """
    if concentration <= 0 or states < 1:
        raise ValueError(f"Expected a concentration above 0 and a state, got {concentration} and {states} states.")
    rng = np.random.default_rng(int(torch.randint(2**62, (), generator=generator)))
    tables = rng.dirichlet(np.full(states, concentration), size=(count, states))
    room = tables.cumsum(axis=2)
    room[..., -1] = 1.0  # against rounding: some token always follows
    rows, ids = np.arange(count), np.empty((count, length), dtype=np.int64)
    token = rng.integers(states, size=count)
    for place in range(length):
        ids[:, place] = token
        token = (rng.random(count)[:, None] >= room[rows, token]).sum(axis=1)
    return torch.from_numpy(ids), torch.from_numpy(tables)
