"""[UNK] may be chosen, though it stands for any unknown word: nothing can be guessed. Look at which
ids are left out."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = (ids != PAD) & (ids != CLS) & (ids != SEP) & (ids != MASK)
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
