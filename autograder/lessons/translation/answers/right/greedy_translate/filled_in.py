"""Results made beforehand, filled in and cut to the length."""
def greedy_translate(decoder, memory, allowed=None, max_length=20):
    with torch.inference_mode():
        B, N, _ = memory.shape
        translations = torch.full((B, max_length), PAD)
        weights = torch.zeros(B, max_length, N)
        last, state = torch.tensor([START] * B), decoder.first_state(memory, allowed)
        for t in range(max_length):
            logits, state, weights[:, t] = decoder.step(last, state, memory, allowed)
            last = logits.max(1).indices
            translations[:, t] = last
        ends = (translations == END).long()
        after = ends.cumsum(1) - ends > 0
        translations[after] = PAD
        lengths = torch.where(ends.any(1), ends.argmax(1) + 1, max_length)
        L = int(lengths.max())
    return translations[:, :L].clone(), weights[:, :L].clone()
