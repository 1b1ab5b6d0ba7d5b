"""Numbers are drawn for the chosen places alone."""
def mask_tokens(ids, vocab_size, generator, rate=0.15):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    rows, columns = (ids >= ORDINARY).nonzero(as_tuple=True)
    keep = torch.rand(len(rows), generator=generator) < rate
    rows, columns = rows[keep], columns[keep]
    labels[rows, columns] = ids[rows, columns]
    fate = torch.rand(len(rows), generator=generator)
    new = ids[rows, columns]
    new[fate < 0.8] = MASK
    some = (fate >= 0.8) & (fate < 0.9)
    new[some] = torch.randint(ORDINARY, vocab_size, (int(some.sum()),), generator=generator)
    inputs[rows, columns] = new
    return inputs, labels
