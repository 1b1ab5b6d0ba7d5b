"""The captions are Python lists, and shorter ones lack their PAD. Return one tensor (B, L)."""


@torch.no_grad()
def greedy_caption(decoder, features, allowed=None, max_length=20):
    B = len(features)
    words = torch.full((B,), START, device=features.device)
    state = decoder.first_state(features, allowed)
    ended = torch.zeros(B, dtype=torch.bool, device=features.device)
    captions, weights = [], []
    for _ in range(max_length):
        logits, state, A = decoder.step(words, state, features, allowed)
        words = logits.argmax(dim=1)
        words = torch.where(ended, PAD, words)
        captions.append(words)
        weights.append(A)
        ended = ended | (words == END)
        if ended.all():
            break
    return [[w for w in row if w != PAD] for row in torch.stack(captions, dim=1).tolist()], torch.stack(weights, dim=1)
