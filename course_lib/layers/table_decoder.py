"""A decoder so small that every search over it can be followed by hand."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from course_lib.data.vocabulary import START


class TableDecoder:
    """A decoder whose every step can be looked up: a trigram language model.

    table: (V, V, V); table[a, b] holds the logits of the word that follows a b. Before the first word stand two STARTs.
    What the picture adds is the mean of its features, whose width is V here, so that pictures can tell. With `grows` the state is
    all words so far, as in a Transformer, and not the word before the last one alone.
    """

    def __init__(self, table: Float[Tensor, "V V V"], grows: bool = False):
        self.table, self.grows = table, grows

    def first_state(
        self, features: Float[Tensor, "B N V"], allowed: Bool[Tensor, "B N"] | None = None
    ) -> Int64[Tensor, "B 1"]:
        """Return the state before the first word: the word before the last one, START."""
        return torch.full((len(features), 1), START, device=features.device)

    def step(
        self,
        words: Int64[Tensor, " B"],
        state: Int64[Tensor, "B t"],
        features: Float[Tensor, "B N V"],
        allowed: Bool[Tensor, "B N"] | None = None,
    ) -> tuple[Float[Tensor, "B V"], Int64[Tensor, "B u"], Float[Tensor, "B N"]]:
        """Return (logits of the next word, new state, weights), of which all lie on cell words mod N."""
        logits = self.table[state[:, -1], words] + features.mean(dim=1)
        weights = F.one_hot(words % features.shape[1], features.shape[1]).to(features.dtype)
        return logits, torch.cat((state, words[:, None]), dim=1) if self.grows else words[:, None], weights
