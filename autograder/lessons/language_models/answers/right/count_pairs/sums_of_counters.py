"""One Counter for each word, multiplied and added with update."""
from collections import Counter


def count_pairs(words, counts):
    total = Counter()
    for word, n in zip(words, counts):
        own = Counter(tuple(word[i : i + 2]) for i in range(len(word) - 1))
        total.update({pair: times * n for pair, times in own.items()})
    return total
