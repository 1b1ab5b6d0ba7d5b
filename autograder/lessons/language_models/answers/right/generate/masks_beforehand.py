"""What belongs to a prompt is known beforehand, for all columns at once; greedy without sample."""
@torch.no_grad()
def generate(model, prompts, lengths, total, window, chunk=64, temperature=0.0, top_k=None, top_p=None, generator=None):
    B, P = prompts.shape
    given = torch.arange(total) < lengths[:, None]
    ids = torch.zeros(B, total, dtype=prompts.dtype)
    ids[:, : min(P, total)] = prompts[:, : min(P, total)]
    ids[~given] = 0
    cache = None
    start = unread = 0
    for n in range(given.all(dim=0).sum().item(), total):
        if n - start > window:
            start = unread = n - window // 2
            cache = None
        while unread < n:
            step = min(chunk, n - unread)
            logits, cache = model(ids[:, unread : unread + step], cache)
            unread += step
        last = logits[:, -1]
        token = last.argmax(-1) if temperature == 0 else sample(last, temperature, top_k, top_p, generator)
        ids[:, n] += token * ~given[:, n]
    return ids
