"""Right versions of byte-pair encoding (Gage 1994; Sennrich et al. 2016; of bytes, Radford et al. 2019)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

Pair = tuple[int, int]

BYTES = 256  # ids below are bytes; merge k makes the id 256 + k


def count_pairs(words: Iterable[Sequence[int]], counts: Iterable[int]) -> Counter[Pair]:
    """c(a, b) = Σ_w n_w · #{i: w_i = a, w_{i+1} = b}."""
    found: Counter[Pair] = Counter()  # a student's later exercise may count on in it
    for ids, n in zip(words, counts, strict=True):
        for pair in zip(ids, ids[1:], strict=False):  # noqa: RUF007 the race runs this source with no import of itertools
            found[pair] += n
    return found


def merge_pair(ids: Sequence[int], pair: Sequence[int], new: int) -> list[int]:
    """Walk from left to right; where the pair begins, write the new id and continue after the pair."""
    merged, i = [], 0
    while i < len(ids):
        here = tuple(ids[i : i + 2]) == tuple(pair)
        merged.append(new if here else ids[i])
        i += 2 if here else 1
    return merged


def train_bpe(word_counts: Mapping[str, int], num_merges: int) -> list[Pair]:
    """Merge the most frequent pair, again and again (Sennrich et al. 2016, algorithm 1). Of equal pairs the smallest is taken."""
    words, counts = [list(word.encode("utf8")) for word in word_counts], list(word_counts.values())
    merges: list[Pair] = []
    while len(merges) < num_merges:
        pairs = count_pairs(words, counts)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        words = [merge_pair(ids, best, BYTES + len(merges)) for ids in words]
        merges.append(best)
    return merges


def train_bpe_fast(word_counts: Mapping[str, int], num_merges: int) -> list[Pair]:
    """Return the same merges, counting all pairs again for each. The speed of a student's version is compared with this one."""
    return train_bpe(word_counts, num_merges)


def bpe_encode(ids: Iterable[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Carry out the merges in the order in which they were learned."""
    ids = list(ids)
    for k, pair in enumerate(merges):
        ids = merge_pair(ids, pair, BYTES + k)
    return ids


def bpe_decode(ids: Iterable[int], merges: Sequence[Sequence[int]]) -> list[int]:
    """Replace every id by the bytes of its two parts. Raises ValueError for an id that no merge makes."""
    parts = [[byte] for byte in range(BYTES)]
    for a, b in merges:
        parts.append(parts[a] + parts[b])
    found = []
    for each in ids:
        if not 0 <= each < len(parts):
            raise ValueError(f"expected ids from 0 to {len(parts) - 1}, got {each}")
        found += parts[each]
    return found
