"""The lowest loss of a masked language model on an exactly known language.

No model that predicts hidden words from the rest does better than the posterior probabilities of the words. They follow from
Bayes' rule: the token seen at a position gives the probability of each word there, and the language connects the positions.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from course_lib.data.automata import Automaton


@dataclass(frozen=True)
class Masking:
    """The masking of tokens (Devlin et al. 2019, section 3.1): each is chosen with probability `chosen`.

    Of the chosen ones, a share `masked` becomes the id `mask`, a share `random` a uniformly drawn id from `first` to
    `vocab_size` - 1; the others stay. Ids below `first` are special and never chosen.
    """

    vocab_size: int
    mask: int
    first: int
    chosen: float = 0.15
    masked: float = 0.8
    random: float = 0.1


def posterior(automaton: Automaton, inputs: Int64[Tensor, "B T"], masking: Masking) -> Float[Tensor, "B T V"]:
    """Return, for each position, the probability of every word if the position was chosen, given all inputs.

    inputs: sentences of the automaton after masking. The chosen tokens are unknown, except for those that became `mask`: any
    other word may be a random one. At a special id, this id has probability 1.
    """
    if_chosen = _seen(inputs, masking, 1.0)
    found = automaton.expected(_seen(inputs, masking, masking.chosen)) * if_chosen
    return found / found.sum(dim=2, keepdim=True)


def lowest_loss(
    automaton: Automaton,
    inputs: Int64[Tensor, "B T"],
    labels: Int64[Tensor, "B T"],
    masking: Masking,
    ignore: int = -100,
) -> Float[Tensor, ""]:
    """Return the mean of -log of the posterior probabilities of `labels`, where they are not `ignore`, in nats.

    No model has a lower loss on average; on a few sentences it may by chance.
    """
    probabilities = posterior(automaton, inputs, masking)
    chosen = labels != ignore
    return -probabilities[chosen].gather(1, labels[chosen][:, None]).log().mean()


def _seen(inputs: Tensor, masking: Masking, chosen: float) -> Float[Tensor, "B T V"]:
    """Return the probability of the input at each position, for every word that it may have replaced."""
    V, words = masking.vocab_size, torch.arange(masking.vocab_size)
    ordinary = words >= masking.first
    same = torch.nn.functional.one_hot(inputs, V).double()
    hidden = (inputs == masking.mask)[..., None] * 1.0
    replaced = (inputs >= masking.first)[..., None] / (V - masking.first)
    kept = 1 - masking.masked - masking.random
    otherwise = masking.masked * hidden + masking.random * replaced + kept * same
    return torch.where(ordinary, chosen * otherwise + (1 - chosen) * same, same)
