"""Every token has its id as a label, so that the model is paid for copying what it sees. Fill the
labels of all others with −100."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.clone()
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
