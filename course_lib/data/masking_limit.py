"""The best that a masked language model can do where the language is known exactly.

A model that guesses hidden words from the rest cannot do better than the posterior probabilities of the words. They follow
from Bayes' rule: what is seen at a place tells how probable each word was there, and the language tells how the places
hang together.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from course_lib.data.automata import Automaton


@dataclass(frozen=True)
class Masking:
    """How tokens are hidden (Devlin et al. 2019, section 3.1): each is chosen with probability `chosen`.

    Of the chosen ones, a share `masked` becomes the id `mask`, a share `random` any of the ids from `first` to
    `vocab_size` - 1, each as probably; the others stay. Ids below `first` are special and never chosen.
    """

    vocab_size: int
    mask: int
    first: int
    chosen: float = 0.15
    masked: float = 0.8
    random: float = 0.1


def posterior(automaton: Automaton, inputs: Int64[Tensor, "B T"], masking: Masking) -> Float[Tensor, "B T V"]:
    """Return for each place the probability of every word, if the place was chosen, given everything that is seen.

    inputs: sentences of the automaton after masking. Which tokens were chosen is not known, except for those that became
    `mask`: a word that is seen may be a random one. At special ids the result is that id alone.
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
    """Return the mean of -log of the posterior probabilities of `labels`, over the places that are not `ignore`, in nats.

    No model has a lower loss on average, however it was trained; on a few sentences one may be lucky.
    """
    probabilities = posterior(automaton, inputs, masking)
    chosen = labels != ignore
    return -probabilities[chosen].gather(1, labels[chosen][:, None]).log().mean()


def _seen(inputs: Tensor, masking: Masking, chosen: float) -> Float[Tensor, "B T V"]:
    """Return the probability of what is seen at each place, for every word that may have stood there."""
    V, words = masking.vocab_size, torch.arange(masking.vocab_size)
    ordinary = words >= masking.first
    same = torch.nn.functional.one_hot(inputs, V).double()
    hidden = (inputs == masking.mask)[..., None] * 1.0
    replaced = (inputs >= masking.first)[..., None] / (V - masking.first)
    kept = 1 - masking.masked - masking.random
    otherwise = masking.masked * hidden + masking.random * replaced + kept * same
    return torch.where(ordinary, chosen * otherwise + (1 - chosen) * same, same)
