"""Plain loops and dictionaries."""
def bleu(candidates, references, longest=4):
    lengths = [0, 0]
    for words, rights in zip(candidates, references):
        best = None
        for right in sorted(rights, key=len):
            if best is None or abs(len(right) - len(words)) < abs(best - len(words)):
                best = len(right)
        lengths[0] += len(words)
        lengths[1] += best
    product = 1.0
    for n in range(1, longest + 1):
        hits = everything = 0
        for words, rights in zip(candidates, references):
            tables = [count(right, n) for right in rights]
            for gram, times in count(words, n).items():
                everything += times
                hits += min(times, max(table.get(gram, 0) for table in tables))
        product *= hits / everything if everything else 0.0
    if product == 0:
        return 0.0
    penalty = 1.0 if lengths[0] >= lengths[1] else math.exp(1 - lengths[1] / lengths[0])
    return penalty * product ** (1 / longest)


def count(words, n):
    table = {}
    for i in range(len(words) - n + 1):
        gram = tuple(words[i : i + n])
        table[gram] = table.get(gram, 0) + 1
    return table
