"""The merges backwards: the latest one is taken apart first."""
def bpe_decode(ids, merges):
    if any(not 0 <= n < 256 + len(merges) for n in ids):
        raise ValueError("expected only ids of bytes and of merges")
    tokens = list(ids)
    for k in reversed(range(len(merges))):
        tokens = [part for n in tokens for part in (merges[k] if n == 256 + k else (n,))]
    return tokens
