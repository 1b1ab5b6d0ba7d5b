"""All random numbers are drawn at once, and the second sentence from a flat list with places."""
def sentence_pairs(documents, generator):
    if len(documents) < 2:
        raise ValueError(f"Expected two documents or more, got {len(documents)}.")
    flat = [(d, s) for d, document in enumerate(documents) for s in document]
    firsts = [(d, n) for d, document in enumerate(documents) for n in range(len(document) - 1)]
    coins = torch.rand(len(firsts), generator=generator) < 0.5
    out = []
    for (d, n), coin in zip(firsts, coins.tolist()):
        a = documents[d][n]
        if coin:
            b = documents[d][n + 1]
        else:
            while True:
                e, b = flat[int(torch.randint(0, len(flat), (1,), generator=generator))]
                if e != d:
                    break
        out.append((list(a), list(b)))
    longest = max(len(a) + len(b) + 3 for a, b in out)
    ids = torch.full((len(out), longest), PAD)
    segments = torch.zeros_like(ids)
    for row, (a, b) in enumerate(out):
        both = [CLS] + a + [SEP] + b + [SEP]
        ids[row, : len(both)] = torch.tensor(both)
        segments[row, len(a) + 2 : len(both)] = 1
    return ids, segments, coins
