"""With torch.bernoulli and halves of the rest, as the data collator of transformers does it."""
def mask_tokens(ids, vocab_size, generator, rate=0.15):
    inputs, labels = ids.clone(), ids.clone()
    probability = torch.full(labels.shape, float(rate)).masked_fill(ids < ORDINARY, 0.0)
    chosen = torch.bernoulli(probability, generator=generator).bool()
    labels[~chosen] = -100
    replaced = torch.bernoulli(torch.full(labels.shape, 0.8), generator=generator).bool() & chosen
    inputs[replaced] = MASK
    random = torch.bernoulli(torch.full(labels.shape, 0.5), generator=generator).bool() & chosen & ~replaced
    words = torch.randint(ORDINARY, vocab_size, labels.shape, generator=generator)
    inputs[random] = words[random]
    return inputs, labels
