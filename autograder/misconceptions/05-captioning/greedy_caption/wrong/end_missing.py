"""The captions end before END. END is a word that the decoder has chosen, and it belongs to the
caption; look at what happens to it before it is kept."""


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
        ended = ended | (words == END)
        words = torch.where(ended, PAD, words)
        captions.append(words)
        weights.append(A)
        if ended.all():
            break
    return torch.stack(captions, dim=1), torch.stack(weights, dim=1)
