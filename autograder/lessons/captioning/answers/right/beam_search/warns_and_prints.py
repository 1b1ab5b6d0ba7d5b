"""Writes to stdout and to stderr and warns."""
import sys
import warnings


@torch.no_grad()
def beam_search(decoder, features, k, max_length=20):
    captions = torch.full((1, 1), START, device=features.device)
    sums = torch.zeros(1, device=features.device)
    state = decoder.first_state(features)
    finished = []
    print("k =", k)
    print("features", tuple(features.shape), file=sys.stderr)
    if k > 4:
        warnings.warn("a wide beam", stacklevel=2)
    for length in range(1, max_length + 1):
        rows = features.expand(len(captions), -1, -1)
        logits, state, _ = decoder.step(captions[:, -1], state, rows)
        scores = sums[:, None] + torch.log_softmax(logits, dim=-1)
        V = scores.shape[1]
        sums, best = scores.flatten().topk(min(k, scores.numel()))
        parents, words = best // V, best % V
        captions = torch.cat([captions[parents], words[:, None]], dim=1)
        state = state[parents]
        ended = words == END
        for caption, total in zip(captions[ended], sums[ended]):
            finished.append((float(total) / length, caption[1:]))
        captions, sums, state = captions[~ended], sums[~ended], state[~ended]
        if len(captions) == 0:
            break
    if not finished:
        finished = [(float(total) / max_length, caption[1:]) for caption, total in zip(captions, sums)]
    score, caption = max(finished, key=lambda pair: pair[0])
    return caption, score
