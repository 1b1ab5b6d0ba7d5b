"""Real bytes in a dictionary, joined; a KeyError becomes a ValueError; a tuple comes back."""
def bpe_decode(ids, merges):
    vocabulary = {n: bytes((n,)) for n in range(256)}
    for n, (left, right) in enumerate(merges, start=256):
        vocabulary[n] = vocabulary[left] + vocabulary[right]
    try:
        return tuple(b"".join(vocabulary[n] for n in ids))
    except KeyError as error:
        raise ValueError(f"There is no token {error}.") from error
