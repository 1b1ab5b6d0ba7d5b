"""Probabilistic automata: languages so simple that all their probabilities can be computed exactly.

Forward and backward messages are those of hidden Markov models (L. R. Rabiner, "A Tutorial on Hidden Markov Models and
Selected Applications in Speech Recognition", 1989, equations 19 to 25), with words on the arcs instead of the states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

#: The states in which a sentence may continue: (state, probability).
Front = Sequence[tuple[int, float]]


class AutomatonBuilder:
    """Collects states and arcs. State 0 is the beginning."""

    def __init__(self) -> None:
        self.states = 1
        self.arcs: list[tuple[int, int, int, float]] = []

    def add(self, front: Front, words: Mapping[int, float]) -> Front:
        """Add one word, drawn with these probabilities, and return the front after it."""
        target, self.states = self.states, self.states + 1
        for source, share in front:
            self.arcs += [(source, word, target, share * probability) for word, probability in words.items()]
        return [(target, 1.0)]

    def finish(self, front: Front, pad: int) -> "Automaton":
        """Return the automaton whose sentences end at `front` and are followed by `pad` for ever."""
        end = self.states
        arcs = [*self.arcs, *((source, pad, end, share) for source, share in front), (end, pad, end, 1.0)]
        source, word, target, probability = zip(*sorted(arcs), strict=True)
        rates = torch.tensor(probability, dtype=torch.float64)
        return Automaton(end + 1, torch.tensor(source), torch.tensor(word), torch.tensor(target), rates)


def split(front: Front, share: float) -> tuple[Front, Front]:
    """Split a front in two: one part with probability `share`, one with the rest."""
    return [(s, p * share) for s, p in front], [(s, p * (1 - share)) for s, p in front]


@dataclass(frozen=True)
class Automaton:
    """States and M arcs, sorted by `source`: each leads with `probability` to the state `target` and emits `word`.

    Every sentence begins in state 0. Raises ValueError unless the probabilities of the arcs that leave a state add up to 1.
    """

    states: int
    source: Int64[Tensor, " M"]
    word: Int64[Tensor, " M"]
    target: Int64[Tensor, " M"]
    probability: Float[Tensor, " M"]

    def __post_init__(self) -> None:
        total = torch.zeros(self.states, dtype=torch.float64).index_add(0, self.source, self.probability)
        if not torch.allclose(total, torch.ones_like(total)):
            wrong = int((total - 1).abs().argmax())
            raise ValueError(
                f"Expected the arcs of each state to add up to 1, got {float(total[wrong]):.4g} for state {wrong}."
            )

    def sample(self, count: int, length: int, generator: torch.Generator) -> Int64[Tensor, "count length"]:
        """Return the first `length` words of `count` sentences."""
        # On a line from 0 to the number of states, each arc takes up its probability, state after state.
        room = self.probability.cumsum(0)
        state, words = torch.zeros(count, dtype=torch.int64), []
        for _ in range(length):
            place = state + torch.rand(count, dtype=torch.float64, generator=generator)
            arc = torch.searchsorted(room, place, right=True).clamp(max=len(room) - 1)
            words.append(self.word[arc])
            state = self.target[arc]
        return torch.stack(words, dim=1)

    def log_probability(self, evidence: Float[Tensor, "B T V"]) -> Float[Tensor, " B"]:
        """Return the logarithm of the probability of the observations, summed over all sentences.

        evidence[b, t, v]: the probability of the observation at t, if word t is v. For a sentence that is read without error it
        is 1 for its word and 0 for all others.
        """
        return self._forward(evidence)[1].log().sum(dim=1)

    def expected(self, evidence: Float[Tensor, "B T V"]) -> Float[Tensor, "B T V"]:
        """Return the probability of every word at every position, given the observations at all *other* positions.

        Multiplied by the evidence of the position itself and normalised, it is the posterior probability (Rabiner's equation 27).
        Raises ValueError for evidence that is impossible for every sentence.
        """
        ahead, totals = self._forward(evidence)
        impossible = (totals <= 0).any(dim=1).nonzero().flatten().tolist()
        if impossible:
            raise ValueError(
                f"Expected evidence that some sentence could have given, got none such in row {impossible[0]}."
            )
        behind = torch.ones(len(evidence), self.states, dtype=torch.float64)
        found = torch.empty_like(evidence, dtype=torch.float64)
        for t in reversed(range(evidence.shape[1])):
            through = self.probability * behind[:, self.target]  # (B, M)
            both = ahead[:, t, self.source] * through
            found[:, t] = torch.zeros_like(found[:, t]).index_add(1, self.word, both)
            behind = torch.zeros_like(behind).index_add(1, self.source, through * evidence[:, t, self.word])
            behind = behind / behind.amax(dim=1, keepdim=True)
        return found / found.sum(dim=2, keepdim=True)

    def following(self, words: Int64[Tensor, "B T"], vocab_size: int) -> Float[Tensor, "B T_1 vocab_size"]:
        """Return the probability of every word at positions 0 to T, given the words before it; position T follows all of them.

        This is the exact distribution of the next token, by forward filtering (Rabiner's equations 19 and 20, normalised at
        each step). Raises ValueError for words with which no sentence of the language begins.
        """
        one_hot_words = torch.nn.functional.one_hot(words, vocab_size).double()
        evidence = torch.nn.functional.pad(one_hot_words, (0, 0, 0, 1), value=1.0)  # anything may come last
        ahead, totals = self._forward(evidence)
        impossible = (totals <= 0).any(dim=1).nonzero().flatten().tolist()
        if impossible:
            raise ValueError(f"Expected words that a sentence can begin with, got none such in row {impossible[0]}.")
        through = ahead[..., self.source] * self.probability  # (B, T + 1, M)
        found = torch.zeros(len(words), words.shape[1] + 1, vocab_size, dtype=torch.float64)
        return found.index_add(2, self.word, through)

    def _forward(self, evidence: Tensor) -> tuple[Tensor, Tensor]:
        """Return the probability of each state before word t, (B, T, S), and of each observation, (B, T), both given the
        observations before it.
        """
        B, T, _ = evidence.shape
        state = torch.zeros(B, self.states, dtype=torch.float64)
        state[:, 0] = 1
        states, totals = [], []
        for t in range(T):
            states.append(state)
            moved = state[:, self.source] * self.probability * evidence[:, t, self.word]
            state = torch.zeros_like(state).index_add(1, self.target, moved)
            totals.append(state.sum(dim=1))
            state = state / totals[-1].clamp(min=1e-300)[:, None]
        return torch.stack(states, dim=1), torch.stack(totals, dim=1)
