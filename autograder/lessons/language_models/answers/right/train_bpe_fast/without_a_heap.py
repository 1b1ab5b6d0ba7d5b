"""No heap: the best of a dictionary from which pairs that are gone are deleted; a set of words for each pair."""
def train_bpe_fast(word_counts, num_merges):
    words = [list(word.encode("utf8")) for word in word_counts]
    counts = list(word_counts.values())
    pairs, where = dict(count_pairs(words, counts)), {}
    for place, ids in enumerate(words):
        for pair in zip(ids, ids[1:]):
            where.setdefault(pair, set()).add(place)
    merges = []
    while pairs and len(merges) < num_merges:
        most = max(pairs.values())
        best = min(pair for pair, n in pairs.items() if n == most)
        for place in where.pop(best):
            ids, n = words[place], counts[place]
            for pair in zip(ids, ids[1:]):
                pairs[pair] -= n
                if not pairs[pair]:
                    del pairs[pair]
            words[place] = ids = merge_pair(ids, best, 256 + len(merges))
            for pair in zip(ids, ids[1:]):
                pairs[pair] = pairs.get(pair, 0) + n
                where.setdefault(pair, set()).add(place)
        merges.append(best)
    return merges
