"""A number is compared with 0.8 times itself, which no positive number is less than: nothing ever
becomes [MASK]. Compare with 0.8 times the rate."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    p = torch.rand(ids.shape, generator=generator)
    chosen = ordinary & (p < rate)
    labels = ids.masked_fill(~chosen, -100)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (p < p * 0.8), MASK, ids)
    inputs = torch.where(chosen & (p >= p * 0.8) & (p < p * 0.9), others, inputs)
    return inputs, labels
