"""A stand-in for a language model with a cache that reveals its inputs: its logits depend on every token so far."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn


class SpyLanguageModel(nn.Module):
    """A language model without learning: it sums the vectors of all tokens so far, each times that of its position.

        logits, cache = model(ids)
        logits, cache = model(more_ids, cache)

    words: (V, D), a vector for each id; places: (window, D), one for each place; output: (V, D), one for each next id. The
    logits after n tokens are output · tanh(Σ words[id_i] * places[i]). What is read in pieces gives the same as all at
    once, and a token that is left out, read twice or read at another place changes all logits behind it. The cache is
    (that sum (B, D), how many tokens there are): two parts, as keys and values are, but no tensors of their shape. A call
    takes at most `longest` tokens of each row, None for any number. `tokens_read` counts those of all calls.
    """

    CALLS = ("forward",)
    tokens_read = 0

    def __init__(
        self,
        words: Float[Tensor, "V D"],
        places: Float[Tensor, "window D"],
        output: Float[Tensor, "V D"] | None = None,
        longest: int | None = None,
    ):
        super().__init__()
        self.longest = longest
        self.words, self.places, self.output = words, places, words if output is None else output

    def forward(
        self, ids: Int64[Tensor, "B N"], cache: tuple[Tensor, int] | None = None
    ) -> tuple[Float[Tensor, "B N V"], tuple[Float[Tensor, "B D"], int]]:
        """Return (logits for the token after each of `ids`, the new cache).

        Raises ValueError if there are more tokens than places, with those in the cache, more than `longest` in this call,
        or a cache of another batch.
        """
        if self.longest is not None and ids.shape[1] > self.longest:
            raise ValueError(f"Expected at most {self.longest} tokens in a call, got {ids.shape[1]}.")
        sums, count = (self.words.new_zeros(len(ids), self.words.shape[1]), 0) if cache is None else cache
        if len(sums) != len(ids):
            raise ValueError(f"Expected ids for the {len(sums)} rows of the cache, got {len(ids)}.")
        if ids.dim() != 2 or sums.shape != (len(ids), self.words.shape[1]) or type(count) is not int:
            raise ValueError("Expected ids (B, N) and the cache as an earlier call has returned it.")
        if count + ids.shape[1] > len(self.places):
            raise ValueError(
                f"Expected at most {len(self.places)} tokens in all, got {ids.shape[1]} after the {count} in the cache."
            )
        self.tokens_read += ids.numel()
        added = self.words[ids] * self.places[count : count + ids.shape[1]]  # (B, N, D)
        states = sums[:, None] + torch.cumsum(added, dim=1)
        last = states[:, -1] if ids.shape[1] else sums
        return torch.tanh(states) @ self.output.T, (last, count + ids.shape[1])
