"""One number, divided at 0.8, 0.9 and 1.0 times the rate."""
def mask_tokens(ids, vocab_size, generator, rate=0.15):
    u = torch.rand(ids.shape, generator=generator)
    u = u.masked_fill(ids < ORDINARY, 2.0)
    random_ids = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = ids.clone()
    inputs[u < 0.9 * rate] = random_ids[u < 0.9 * rate]
    inputs[u < 0.8 * rate] = MASK
    labels = torch.full_like(ids, -100)
    labels[u < rate] = ids[u < rate]
    return inputs, labels
