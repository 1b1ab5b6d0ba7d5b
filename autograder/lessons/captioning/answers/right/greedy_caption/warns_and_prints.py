"""Writes to stdout and to stderr and warns."""
import sys
import warnings


@torch.no_grad()
def greedy_caption(decoder, features, allowed=None, max_length=20):
    if max_length > 10:
        warnings.warn("a long caption", stacklevel=2)
    words = torch.ones(len(features), dtype=torch.int64) * START
    state = decoder.first_state(features, allowed)
    captions, weights, ended = [], [], torch.zeros(len(features)).bool()
    for t in range(max_length):
        if ended.all():
            print("stopped after", t, file=sys.stderr)
            break
        logits, state, A = decoder.step(words, state, features, allowed)
        words = logits.argmax(-1)
        words[ended] = PAD
        ended |= words == END
        print(words)
        captions += [words]
        weights += [A]
    return [torch.stack(captions, 1), torch.stack(weights, 1)]
