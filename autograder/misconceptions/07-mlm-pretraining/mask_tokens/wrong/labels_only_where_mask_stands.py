"""Only what became [MASK] has a label. The random tokens and those that stay were chosen too: without
their labels the model may trust whatever it sees."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    labels = ids.masked_fill(inputs != MASK, -100)
    return inputs, labels
