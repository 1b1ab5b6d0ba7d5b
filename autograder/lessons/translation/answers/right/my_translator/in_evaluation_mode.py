"""Sizes in a dictionary, and the model in evaluation mode."""
def my_translator():
    sizes = {"model_width": 64, "num_heads": 4, "num_blocks": 2, "hidden_width": 128}
    model = TransformerTranslator(source_words=len(english_vocabulary()), target_words=len(french_vocabulary()), **sizes)
    return model.eval()
