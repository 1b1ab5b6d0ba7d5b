"""An object that keeps the counts; Counters of each word are subtracted and added; prints and warns."""
import warnings
from collections import Counter, defaultdict


class _Corpus:
    def __init__(self, word_counts):
        self.words = [(list(word.encode("utf-8")), n) for word, n in word_counts.items()]
        self.pairs, self.where = Counter(), defaultdict(set)
        for place in range(len(self.words)):
            self.add(place, +1)

    def add(self, place, sign):
        ids, n = self.words[place]
        for pair in zip(ids, ids[1:]):
            self.pairs[pair] += sign * n
            if sign > 0:
                self.where[pair].add(place)
            elif self.pairs[pair] <= 0:
                del self.pairs[pair]

    def merge(self, pair, new):
        for place in sorted(self.where[pair]):
            self.add(place, -1)
            ids, n = self.words[place]
            self.words[place] = merge_pair(ids, pair, new), n
            self.add(place, +1)


def train_bpe_fast(word_counts, num_merges):
    corpus, merges = _Corpus(word_counts), []
    if not word_counts:
        warnings.warn("there are no words")
    for k in range(num_merges):
        if not corpus.pairs:
            print("no pair is left after", k)
            break
        merges.append(min(corpus.pairs, key=lambda pair: (-corpus.pairs[pair], pair)))
        corpus.merge(merges[-1], 256 + k)
    return merges
