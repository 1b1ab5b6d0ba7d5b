"""Every picture by itself, with Python lists."""
def one_caption(decoder, features, allowed, max_length):
    state = decoder.first_state(features, allowed)
    words, weights = [START], []
    while words[-1] != END and len(words) <= max_length:
        logits, state, A = decoder.step(torch.tensor(words[-1:]), state, features, allowed)
        words.append(int(F.softmax(logits, dim=-1).argmax()))
        weights.append(A[0])
    return words[1:], weights


def greedy_caption(decoder, features, allowed=None, max_length=20):
    found = []
    for b in range(len(features)):
        mask = None if allowed is None else allowed[b : b + 1]
        found.append(one_caption(decoder, features[b : b + 1], mask, max_length))
    L = max(len(words) for words, _ in found)
    captions = torch.tensor([words + [PAD] * (L - len(words)) for words, _ in found])
    weights = [torch.stack(rows + [torch.zeros_like(rows[0])] * (L - len(rows))) for _, rows in found]
    return captions, torch.stack(weights).detach()
