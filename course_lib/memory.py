"""The memory of a device as a kernel sees it: one long row of numbers, read by address. Every access is recorded."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor


class Memory:
    """One row of numbers. A program of a kernel loads from it by address.

        memory, (X, Y) = Memory.holding(torch.rand(5, 3), torch.zeros(5, 3))
        row = memory.load(X + 3 * program + torch.arange(4), torch.arange(4) < 3, -math.inf)

    `loaded` lists the addresses of all loads so far, except masked ones; `largest_load` is the largest number of one load.
    Unwritten memory holds NaN.
    """

    CALLS = ("load",)
    #: Numbers between two tensors that were put into a memory.
    GAP = 64

    def __init__(self, numbers: Float[Tensor, " n"]):
        self.numbers, self._loaded, self.largest_load = numbers, [torch.zeros(0, dtype=torch.int64)], 0

    @property
    def loaded(self) -> Int64[Tensor, " loads"]:
        self._loaded = [torch.cat(self._loaded)]
        return self._loaded[0]

    @classmethod
    def holding(cls, *tensors: Float[Tensor, "..."]) -> tuple["Memory", list[int]]:
        """Return a memory with the numbers of these tensors, and the start address of each, with gaps between them."""
        parts, starts, end = [], [], 0
        for tensor in tensors:
            starts.append(end + cls.GAP)
            parts += [tensor.new_full((cls.GAP,), torch.nan), tensor.reshape(-1)]
            end += cls.GAP + tensor.numel()
        return cls(torch.cat([*parts, tensors[0].new_full((cls.GAP,), torch.nan)])), starts

    def load(
        self, addresses: Int[Tensor, "..."], mask: Bool[Tensor, "..."] | None = None, other: float | None = None
    ) -> Float[Tensor, "..."]:
        """Return the numbers at these addresses; where the mask is False, `other` (by default NaN).

        Raises IndexError for a visible address beyond the memory, and TypeError for anything but integers on its device.
        """
        visible, wanted = self._accessed(addresses, mask)
        values = self.numbers.new_full(addresses.shape, torch.nan if other is None else other)
        values[visible] = self.numbers[wanted]
        self._loaded.append(wanted)
        self.largest_load = max(self.largest_load, wanted.numel())
        return values

    def _accessed(self, addresses: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the mask in the shape of the addresses, and the unmasked addresses."""
        whole = not (addresses.is_floating_point() or addresses.is_complex() or addresses.dtype == torch.bool)
        if not whole or addresses.device != self.numbers.device:
            found = f"{addresses.dtype} on {addresses.device}"
            raise TypeError(f"Expected addresses that are whole numbers on {self.numbers.device}, got {found}.")
        addresses = addresses.long()
        visible = torch.ones_like(addresses, dtype=torch.bool) if mask is None else mask.expand(addresses.shape)
        wanted = addresses[visible]
        if wanted.numel() and not 0 <= int(wanted.min()) <= int(wanted.max()) < len(self.numbers):
            most = len(self.numbers) - 1
            raise IndexError(f"Expected addresses from 0 to {most}, got {int(wanted.min())} to {int(wanted.max())}.")
        return visible, wanted

    def store(
        self, addresses: Int[Tensor, "..."], values: Float[Tensor, "..."], mask: Bool[Tensor, "..."] | None = None
    ) -> None:
        """Write values to these addresses, except where the mask is False. Raises IndexError as `load` does."""
        visible, wanted = self._accessed(addresses, mask)
        self.numbers[wanted] = values.expand(addresses.shape)[visible].to(self.numbers.dtype)


def launch(kernel: Callable[..., Any], programs: Iterable[int], memory: Memory, *args: Any) -> None:
    """Run the programs of a kernel in this order, and carry out their stores, each (addresses, values, mask)."""
    for program in programs:
        stores = kernel(memory, program, *args)
        for addresses, values, mask in stores if isinstance(stores[0], tuple) else [stores]:
            memory.store(addresses, values, mask)
