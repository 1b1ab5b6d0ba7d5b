"""Writes to stdout and to stderr and warns."""
import sys
import warnings


@torch.no_grad()
def beam_search(decoder, memory, k, max_length=20, power=1.0):
    translations = torch.full((1, 1), START, device=memory.device)
    sums = torch.zeros(1, device=memory.device)
    state = decoder.first_state(memory)
    finished = []
    print("k =", k)
    print("memory", tuple(memory.shape), file=sys.stderr)
    if k > 4:
        warnings.warn("a wide beam", stacklevel=2)
    for length in range(1, max_length + 1):
        rows = memory.expand(len(translations), -1, -1)
        logits, state, _ = decoder.step(translations[:, -1], state, rows)
        scores = sums[:, None] + torch.log_softmax(logits, dim=-1)
        V = scores.shape[1]
        sums, best = scores.flatten().topk(min(k, scores.numel()))
        parents, words = best // V, best % V
        translations = torch.cat([translations[parents], words[:, None]], dim=1)
        state = state[parents]
        ended = words == END
        for translation, total in zip(translations[ended], sums[ended]):
            finished.append((float(total) / length**power, translation[1:]))
        translations, sums, state = translations[~ended], sums[~ended], state[~ended]
        if len(translations) == 0:
            break
    if not finished:
        finished = [(float(total) / max_length**power, translation[1:]) for translation, total in zip(translations, sums)]
    score, translation = max(finished, key=lambda pair: pair[0])
    return translation, score
