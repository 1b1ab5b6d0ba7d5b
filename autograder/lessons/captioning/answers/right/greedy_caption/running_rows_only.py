"""Captions that have ended leave the batch."""
@torch.no_grad()
def greedy_caption(decoder, features, allowed=None, max_length=20):
    B, N, _ = features.shape
    captions = torch.full((B, max_length), PAD, device=features.device)
    weights = features.new_full((B, max_length, N), float("nan"))
    rows = torch.arange(B, device=features.device)
    words, state, L = torch.full_like(rows, START), decoder.first_state(features, allowed), 0
    while L < max_length and len(rows):
        mask = None if allowed is None else allowed[rows]
        logits, state, A = decoder.step(words, state, features[rows], mask)
        words = logits.topk(1, dim=-1).indices.squeeze(1)
        captions[rows, L], weights[rows, L] = words, A
        go_on = words != END
        rows, words, state, L = rows[go_on], words[go_on], state[go_on], L + 1
    return captions[:, :L], weights[:, :L]
