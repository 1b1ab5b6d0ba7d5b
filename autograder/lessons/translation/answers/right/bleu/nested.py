"""A function inside, zip of shifted lists, and a list comprehension for each size."""
from collections import Counter as Multiset


def bleu(candidates, references, longest=4):
    def grams(words, n):
        return Multiset(zip(*(words[i:] for i in range(n))))

    def precision(n):
        pairs = [(grams(words, n), [grams(right, n) for right in rights]) for words, rights in zip(candidates, references)]
        clipped = sum(min(c, max(one[g] for one in rights)) for found, rights in pairs for g, c in found.items())
        return clipped / max(sum(sum(found.values()) for found, _ in pairs), 1)

    precisions = [precision(n) for n in range(1, longest + 1)]
    if not all(precisions):
        return 0.0
    c = sum(map(len, candidates))
    r = sum(min(map(len, rights), key=lambda n: (abs(n - len(w)), n)) for w, rights in zip(candidates, references))
    return math.exp(min(0, 1 - r / c) + sum(map(math.log, precisions)) / longest)
