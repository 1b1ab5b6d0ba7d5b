"""Every sentence by itself, with Python lists."""
def one_translation(decoder, memory, allowed, max_length):
    state = decoder.first_state(memory, allowed)
    words, weights = [START], []
    while words[-1] != END and len(words) <= max_length:
        logits, state, A = decoder.step(torch.tensor(words[-1:]), state, memory, allowed)
        words.append(int(F.softmax(logits, dim=-1).argmax()))
        weights.append(A[0])
    return words[1:], weights


def greedy_translate(decoder, memory, allowed=None, max_length=20):
    found = []
    for b in range(len(memory)):
        mask = None if allowed is None else allowed[b : b + 1]
        found.append(one_translation(decoder, memory[b : b + 1], mask, max_length))
    L = max(len(words) for words, _ in found)
    translations = torch.tensor([words + [PAD] * (L - len(words)) for words, _ in found])
    weights = [torch.stack(rows + [torch.zeros_like(rows[0])] * (L - len(rows))) for _, rows in found]
    return translations, torch.stack(weights).detach()
