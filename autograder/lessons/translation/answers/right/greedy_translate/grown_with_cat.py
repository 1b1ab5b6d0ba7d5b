"""Tensors that grow by one column, with gradients kept, and a recursion for the loop."""
def greedy_translate(decoder, memory, allowed=None, max_length=20):
    """Return (translations, weights)."""

    def grow(translations, weights, state):
        ended = (translations == END).any(dim=1)
        length = translations.shape[1] - 1
        if length == max_length or bool(ended.all()):
            return translations[:, 1:], weights
        logits, state, new = decoder.step(translations[:, -1], state, memory, allowed=allowed)
        word = torch.log_softmax(logits, -1).argmax(-1, keepdim=True).masked_fill(ended[:, None], PAD)
        return grow(torch.cat([translations, word], 1), torch.cat([weights, new.unsqueeze(1)], 1), state)

    first = torch.full((memory.size(0), 1), START, dtype=torch.long, device=memory.device)
    none = memory.new_zeros(memory.size(0), 0, memory.size(1))
    return grow(first, none, decoder.first_state(memory, allowed=allowed))
