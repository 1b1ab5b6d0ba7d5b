"""The widths in a dictionary, and the decoder in evaluation mode."""
def my_captioner():
    widths = {"state_width": 128, "embedding_width": 32, "hidden_width": 32}
    decoder = CaptionDecoder(vocab_size=len(scene_vocabulary()), feature_width=32, **widths)
    return decoder.eval()
