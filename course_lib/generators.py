"""Random generators that use all 64 bits of a seed."""

import hashlib

import numpy as np
import torch

WORDS = (
    624  # of 32 bits: the state of the Mersenne Twister (Matsumoto and Nishimura 1998), torch's generator on the CPU
)
FIRST = 24  # bytes of torch's state before them; each word takes 8 bytes


def generator_of(seed: int) -> torch.Generator:
    """Return a generator on the CPU for a seed from 0 to 2**64 − 1.

    torch uses only the lowest 32 bits of a seed: manual_seed(2**32 + 1) gives the numbers of manual_seed(1), and all seeds can
    be tried in hours. From 2**32 on, the whole state is therefore derived from the seed by SHAKE-256. Below, the numbers are
    those of manual_seed.
    """
    generator = torch.Generator().manual_seed(seed)
    if seed >= 2**32:
        state = generator.get_state()
        words = np.frombuffer(hashlib.shake_256(str(seed).encode()).digest(4 * WORDS), dtype="<u4")
        state[FIRST : FIRST + 8 * WORDS] = torch.from_numpy(words.astype("<i8")).view(torch.uint8)
        generator.set_state(state)
    return generator
