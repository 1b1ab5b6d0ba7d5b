"""The random ids are drawn from 0 on, so that padding or [CLS] may come in the middle of a sentence.
Look at the lower bound of the random ids."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(0, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
