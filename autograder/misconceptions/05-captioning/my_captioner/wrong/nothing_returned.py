"""The decoder is made and not returned. Look at what the function gives back."""


def my_captioner():
    decoder = CaptionDecoder(len(scene_vocabulary()), 32, state_width=128, embedding_width=32, hidden_width=32)
    decoder.eval()
