"""A plain dictionary with get, and places instead of zip."""
def count_pairs(words, counts):
    found = {}
    for w in range(len(words)):
        ids = words[w]
        for i in range(len(ids) - 1):
            pair = (ids[i], ids[i + 1])
            found[pair] = found.get(pair, 0) + counts[w]
    return found
