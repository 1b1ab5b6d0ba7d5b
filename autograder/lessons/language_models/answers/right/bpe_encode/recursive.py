"""By itself and recursive: the earliest merge that is there cuts the list, and both sides are joined around it."""
def bpe_encode(ids, merges):
    rank = {tuple(pair): k for k, pair in enumerate(merges)}

    def encode(tokens):
        known = [(rank[a, b], i) for i, (a, b) in enumerate(zip(tokens, tokens[1:])) if (a, b) in rank]
        if not known:
            return tokens
        k, i = min(known)
        return encode(tokens[:i] + (256 + k,) + tokens[i + 2 :])

    return list(encode(tuple(ids)))
