"""The number that decided who is chosen is compared again: where it is below the rate it is below 0.8
too, so that every chosen token becomes [MASK]. Draw a second number, or divide the first one at 0.8
times the rate."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    ordinary = ids >= ORDINARY
    fate = torch.rand(ids.shape, generator=generator)
    chosen = ordinary & (fate < rate)
    labels = ids.masked_fill(~chosen, -100)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
