"""The same pair for whatever words: it changes none of its arguments, and says the same twice."""

# assignment: 07-language-models
# replaces: train_bpe
def train_bpe(word_counts, num_merges):
    return [(97, 98)] * num_merges
