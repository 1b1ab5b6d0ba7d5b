"""Recursive, with a progress message and a warning."""
import warnings


def train_bpe(word_counts, num_merges):
    print("training", num_merges)
    if num_merges > 1000:
        warnings.warn("this takes a while")

    def more(words, merges):
        pairs = count_pairs(words, list(word_counts.values()))
        if len(merges) == num_merges or not pairs:
            return merges
        most = max(pairs.values())
        best = min(pair for pair, n in pairs.items() if n == most)
        return more([merge_pair(ids, best, 256 + len(merges)) for ids in words], [*merges, best])

    return more([list(word.encode("utf8")) for word in word_counts], [])
