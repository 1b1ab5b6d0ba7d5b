"""A while loop, max with a key of negative ids, bytearrays at first, and pairs as lists."""
def train_bpe(word_counts, num_merges):
    words = [list(bytearray(word, "utf-8")) for word in word_counts.keys()]
    merges = []
    while True:
        pairs = count_pairs(words, word_counts.values())
        if len(merges) >= num_merges or not pairs:
            break
        best = max(pairs.keys(), key=lambda p: (pairs[p], -p[0], -p[1]))
        for place in range(len(words)):
            words[place] = merge_pair(words[place], best, 256 + len(merges))
        merges += [list(best)]
    return merges
