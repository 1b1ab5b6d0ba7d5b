"""inputs is the same tensor as ids, so that the caller's sentences are masked for good, more at every
call. Begin with ids.clone()."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = ids
    inputs[chosen & (fate < 0.8)] = MASK
    random = chosen & (fate >= 0.8) & (fate < 0.9)
    inputs[random] = others[random]
    return inputs, labels
