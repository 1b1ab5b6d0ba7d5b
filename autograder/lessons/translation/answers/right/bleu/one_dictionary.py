"""All n-grams of a sentence in one Counter; logarithms; a generator for the closest length."""
def grams(words, longest):
    return Counter(tuple(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + longest, len(words)) + 1))


def bleu(candidates, references, longest=4):
    hits, all_of_them = Counter(), Counter()
    c = sum(len(candidate) for candidate in candidates)
    r = 0
    for candidate, rights in zip(candidates, references):
        _, nearest = min((abs(len(right) - len(candidate)), len(right)) for right in rights)
        r += nearest
        tables = [grams(right, longest) for right in rights]
        for gram, count in grams(candidate, longest).items():
            all_of_them[len(gram)] += count
            hits[len(gram)] += min(count, max(table[gram] for table in tables))
    if any(hits[n] == 0 for n in range(1, longest + 1)):
        return 0.0
    logs = [math.log(hits[n]) - math.log(all_of_them[n]) for n in range(1, longest + 1)]
    return math.exp(min(0.0, 1.0 - r / c) + sum(logs) / longest)
