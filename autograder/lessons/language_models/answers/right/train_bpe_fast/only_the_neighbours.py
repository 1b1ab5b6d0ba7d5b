"""Only the pairs beside a merge are changed, word by word, by itself; a heap into which every change is pushed."""
from heapq import heapify, heappop, heappush


def train_bpe_fast(word_counts, num_merges):
    words = [[*word.encode()] for word in word_counts]
    often, held = {}, {}
    for w, n in enumerate(word_counts.values()):
        for pair in zip(words[w], words[w][1:]):
            often[pair] = often.get(pair, 0) + n
            held.setdefault(pair, []).append(w)
    numbers = list(word_counts.values())
    heap = [(-n, *pair) for pair, n in often.items()]
    heapify(heap)
    merges = []
    while heap and len(merges) != num_merges:
        n, a, b = heappop(heap)
        if often.get((a, b), 0) != -n or n == 0:
            continue
        new, changed = 256 + len(merges), {}
        merges.append((a, b))
        for w in dict.fromkeys(held.pop((a, b))):
            old, out, i = words[w], [], 0
            while i < len(old):
                if i + 1 < len(old) and old[i] == a and old[i + 1] == b:
                    out.append(new)
                    i += 2
                else:
                    out.append(old[i])
                    i += 1
            for pair in zip(old, old[1:]):
                changed[pair] = changed.get(pair, 0) - numbers[w]
            for pair in zip(out, out[1:]):
                changed[pair] = changed.get(pair, 0) + numbers[w]
                held.setdefault(pair, []).append(w)
            words[w] = out
        for pair, difference in changed.items():
            if difference:
                often[pair] = often.get(pair, 0) + difference
                heappush(heap, (-often[pair], *pair))
    return merges
