"""Tensors that grow by one column, with gradients kept, and a recursion for the loop."""
def greedy_caption(decoder, features, allowed=None, max_length=20):
    """Return (captions, weights)."""

    def grow(captions, weights, state):
        ended = (captions == END).any(dim=1)
        length = captions.shape[1] - 1
        if length == max_length or bool(ended.all()):
            return captions[:, 1:], weights
        logits, state, new = decoder.step(captions[:, -1], state, features, allowed=allowed)
        word = torch.log_softmax(logits, -1).argmax(-1, keepdim=True).masked_fill(ended[:, None], PAD)
        return grow(torch.cat([captions, word], 1), torch.cat([weights, new.unsqueeze(1)], 1), state)

    first = torch.full((features.size(0), 1), START, dtype=torch.long, device=features.device)
    none = features.new_zeros(features.size(0), 0, features.size(1))
    return grow(first, none, decoder.first_state(features, allowed=allowed))
