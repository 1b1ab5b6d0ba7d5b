"""A loop over all rows and tokens."""
def mask_tokens(ids, vocab_size, generator, rate=0.15):
    inputs, labels = ids.tolist(), torch.full_like(ids, -100).tolist()
    numbers = torch.rand(*ids.shape, 2, generator=generator).tolist()
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator).tolist()
    for b, row in enumerate(ids.tolist()):
        for n, token in enumerate(row):
            first, second = numbers[b][n]
            if token < ORDINARY or first >= rate:
                continue
            labels[b][n] = token
            if second < 0.8:
                inputs[b][n] = MASK
            elif second < 0.9:
                inputs[b][n] = others[b][n]
    return torch.tensor(inputs), torch.tensor(labels)
