"""In every row the same number of tokens is chosen, rounded, so that short rows get too many or none.
Choose each token on its own, with probability rate."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    order = torch.rand(ids.shape, generator=generator).masked_fill(~ordinary, 2.0).argsort(dim=1).argsort(dim=1)
    count = (rate * ordinary.sum(dim=1, keepdim=True)).round().clamp(min=1)
    chosen = ordinary & (order < count)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
