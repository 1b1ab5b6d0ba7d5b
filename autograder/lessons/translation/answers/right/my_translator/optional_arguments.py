"""The sizes of the vocabularies asked for by name."""
english_words, french_words = len(english_vocabulary()), len(french_vocabulary())


def my_translator(heads=4, blocks=2):
    return TransformerTranslator(english_words, french_words, num_heads=heads, num_blocks=blocks)
