"""Every chosen token becomes [MASK]. When the model is fine-tuned there is no [MASK] any more: a tenth
of the chosen stay as they are, and a tenth become a random id."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen, MASK, ids)
    return inputs, labels
