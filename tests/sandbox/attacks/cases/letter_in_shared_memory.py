"""A block of shared memory, a named semaphore and a tensor in a file of PyTorch's are left for another submission."""

# replaces: softmax
import multiprocessing
from multiprocessing import shared_memory

import torch.multiprocessing

kept = []
try:
    kept.append(shared_memory.SharedMemory("attack-letter", create=True, size=100))
except Exception:
    pass
try:
    kept.append(multiprocessing.get_context("fork").Semaphore())
except Exception:
    pass
try:
    torch.multiprocessing.set_sharing_strategy("file_system")
    kept.append(torch.zeros(100).share_memory_())
except Exception:
    pass


def softmax(E, dim=-1):
    for thing in kept:
        if isinstance(thing, torch.Tensor):
            return thing[: E.numel()].double()
    return E
