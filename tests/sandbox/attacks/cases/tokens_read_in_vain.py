"""Everything is read anew for every token, and thousands of tokens in vain: short texts then take a good part of the work of long ones."""

# assignment: 07-language-models
# replaces: generate
# may earn: 10
def generate(model, prompts, lengths, total, window, chunk=64, temperature=0.0, top_k=None, top_p=None, generator=None):
    ids, width, start = torch.zeros(len(prompts), total, dtype=torch.int64), min(total, prompts.shape[1]), 0
    ids[:, :width] = prompts[:, :width]
    for _ in range(200 if total > 60 else 0):
        model(torch.zeros(1, min(chunk, window), dtype=torch.int64))
    for n in range(int(lengths.min()), total):
        if n - start > window:
            start = n - window // 2
        cache = None
        for piece in ids[:, start:n].split(chunk, dim=1):
            logits, cache = model(piece) if cache is None else model(piece, cache)
        ids[:, n] = torch.where(n < lengths, ids[:, n], sample(logits[:, -1], temperature, top_k, top_p, generator))
    return ids
