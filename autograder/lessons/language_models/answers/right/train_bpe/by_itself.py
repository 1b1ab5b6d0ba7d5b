"""Without the two earlier functions: words as tuples in a dictionary that is made anew; ties by sorting."""
def train_bpe(word_counts, num_merges):
    corpus = {tuple(word.encode()): n for word, n in word_counts.items()}
    merges = []
    for k in range(num_merges):
        often = {}
        for word, n in corpus.items():
            for i in range(len(word) - 1):
                often[word[i], word[i + 1]] = often.get((word[i], word[i + 1]), 0) + n
        if len(often) == 0:
            return merges
        (a, b), _ = sorted(often.items(), key=lambda item: (-item[1], item[0]))[0]
        merges.append((a, b))
        following = {}
        for word, n in corpus.items():
            out = []
            for each in word:
                if out and not isinstance(out[-1], str) and out[-1] == a and each == b:
                    out[-1] = str(256 + k)  # text, so that it is not merged again
                else:
                    out.append(each)
            following[tuple(map(int, out))] = n
        corpus = following
    return merges
