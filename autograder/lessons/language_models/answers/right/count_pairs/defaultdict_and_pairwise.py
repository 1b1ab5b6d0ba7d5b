"""defaultdict and itertools.pairwise; numbers that could be floats."""
from collections import defaultdict
from itertools import pairwise


def count_pairs(words, counts):
    found = defaultdict(int)
    for ids, n in zip(words, counts, strict=True):
        for a, b in pairwise(ids):
            found[a, b] += n
    return dict(found)
