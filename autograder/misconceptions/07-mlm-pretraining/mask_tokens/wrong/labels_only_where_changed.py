"""Tokens that were chosen and stay have no label. They need one like the others: that is what they
were chosen for."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    labels = ids.masked_fill(inputs == ids, -100)
    return inputs, labels
