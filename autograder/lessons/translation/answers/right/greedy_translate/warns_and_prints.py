"""Writes to stdout and to stderr and warns."""
import sys
import warnings


@torch.no_grad()
def greedy_translate(decoder, memory, allowed=None, max_length=20):
    if max_length > 10:
        warnings.warn("a long translation", stacklevel=2)
    words = torch.ones(len(memory), dtype=torch.int64) * START
    state = decoder.first_state(memory, allowed)
    translations, weights, ended = [], [], torch.zeros(len(memory)).bool()
    for t in range(max_length):
        if ended.all():
            print("stopped after", t, file=sys.stderr)
            break
        logits, state, A = decoder.step(words, state, memory, allowed)
        words = logits.argmax(-1)
        words[ended] = PAD
        ended |= words == END
        print(words)
        translations += [words]
        weights += [A]
    return [torch.stack(translations, 1), torch.stack(weights, 1)]
