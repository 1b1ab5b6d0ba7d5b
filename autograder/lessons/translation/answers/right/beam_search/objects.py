"""The hypotheses are objects."""
from dataclasses import dataclass


@dataclass
class Hypothesis:
    words: list
    log_probabilities: list
    state: object

    @property
    def total(self):
        return sum(self.log_probabilities)

    def score(self, power):
        return self.total / len(self.log_probabilities) ** power

    @property
    def finished(self):
        return self.words[-1] == END


def extend(hypothesis, decoder, memory):
    logits, state, _ = decoder.step(torch.tensor([hypothesis.words[-1]]), hypothesis.state, memory)
    values = torch.softmax(logits.double(), dim=-1).log().squeeze(0)
    return [
        Hypothesis([*hypothesis.words, word], [*hypothesis.log_probabilities, float(value)], state)
        for word, value in enumerate(values)
    ]


@torch.no_grad()
def beam_search(decoder, memory, k, max_length=20, power=1.0):
    beam, finished = [Hypothesis([START], [], decoder.first_state(memory))], []
    while beam and len(beam[0].words) <= max_length:
        everything = [new for old in beam for new in extend(old, decoder, memory)]
        everything = sorted(everything, key=lambda h: h.total)[::-1][:k]
        finished += filter(lambda h: h.finished, everything)
        beam = [h for h in everything if not h.finished]
    winner = max(finished if finished else beam, key=lambda h: h.score(power))
    return torch.LongTensor(winner.words[1:]), winner.score(power)
