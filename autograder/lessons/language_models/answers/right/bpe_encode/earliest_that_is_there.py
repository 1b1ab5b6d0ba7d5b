"""As in minbpe: of the pairs that are there, the one that was learned first, until none is left."""
def bpe_encode(ids, merges):
    rank = {tuple(pair): k for k, pair in enumerate(merges)}
    tokens = list(ids)
    while len(tokens) >= 2:
        pair = min(zip(tokens, tokens[1:]), key=lambda p: rank.get(p, float("inf")))
        if pair not in rank:
            break
        tokens = merge_pair(tokens, pair, 256 + rank[pair])
    return tokens
