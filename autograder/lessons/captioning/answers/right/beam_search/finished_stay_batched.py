"""Finished hypotheses stay in one batch of fixed width: their only continuation is PAD, at no
cost."""
@torch.no_grad()
def beam_search(decoder, features, k, max_length=20):
    device = features.device
    captions = torch.full((k, max_length), PAD, device=device)
    sums = torch.full((k,), -math.inf, device=device, dtype=torch.float64)
    sums[0] = 0.0
    ended = torch.zeros(k, dtype=torch.bool, device=device)
    lengths = torch.zeros(k, device=device)
    features = features.expand(k, -1, -1)
    state, last = decoder.first_state(features), torch.full((k,), START, device=device)
    for t in range(max_length):
        logits, state, _ = decoder.step(last, state, features)
        steps = torch.log_softmax(logits, dim=-1)
        steps[ended] = -math.inf
        steps[ended, PAD] = 0.0
        V = steps.shape[1]
        sums, best = (sums[:, None] + steps).flatten().topk(k)
        rows, last = best // V, best % V
        captions, state, ended, lengths = captions[rows], state[rows], ended[rows], lengths[rows]
        captions[:, t] = last
        lengths = lengths + (~ended)
        ended = ended | (last == END)
        if ended.all():
            break
    means = sums / lengths
    if ended.any():
        means[~ended] = -math.inf
    row = means.argmax()
    return captions[row, : int(lengths[row])], means[row]
