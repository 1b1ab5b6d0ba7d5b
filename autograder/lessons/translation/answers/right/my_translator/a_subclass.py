"""A subclass with all sizes settled."""
class Translator(TransformerTranslator):
    def __init__(self):
        super().__init__(len(english_vocabulary()), len(french_vocabulary()), model_width=64, num_heads=4)


def my_translator():
    return Translator()
