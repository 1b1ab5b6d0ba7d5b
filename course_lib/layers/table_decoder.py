"""A decoder so small that a search over it can be followed by hand."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from course_lib.data.vocabulary import START

MOST = 2**20  # weights in one step: it is a table to follow by hand


class TableDecoder:
    """A decoder whose every step is a table look-up: a trigram language model.

    table: (V, V, V); table[a, b] holds the logits of the word that follows a b. Two STARTs precede the first word. The picture
    adds the mean of its features, of width V, to the logits. With `grows` the state holds all words so far, as in a
    Transformer, instead of only the word before the last one.
    """

    CALLS = ("first_state", "step")

    def __init__(self, table: Float[Tensor, "V V V"], grows: bool = False):
        self.table, self.grows = table, grows

    def first_state(
        self, features: Float[Tensor, "B N V"], allowed: Bool[Tensor, "B N"] | None = None
    ) -> Int64[Tensor, "B 1"]:
        """Return the state before the first word: START, the word before the last one."""
        return torch.full((len(features), 1), START, device=features.device)

    def step(
        self,
        words: Int64[Tensor, " B"],
        state: Int64[Tensor, "B t"],
        features: Float[Tensor, "B N V"],
        allowed: Bool[Tensor, "B N"] | None = None,
    ) -> tuple[Float[Tensor, "B V"], Int64[Tensor, "B u"], Float[Tensor, "B N"]]:
        """Return (logits of the next word, new state, weights), of which all lie on cell words mod N.

        Raises ValueError for tensors with other axes.
        """
        if (words.dim(), state.dim(), features.dim()) != (1, 2, 3) or len(words) * features.shape[1] > MOST:
            raise ValueError(f"Expected words (B,), a state (B, t) and features (B, N, V), and B · N up to {MOST:,}.")
        logits = self.table[state[:, -1], words] + features.mean(dim=1)
        weights = F.one_hot(words % features.shape[1], features.shape[1]).to(features.dtype)
        return logits, torch.cat((state, words[:, None]), dim=1) if self.grows else words[:, None], weights
