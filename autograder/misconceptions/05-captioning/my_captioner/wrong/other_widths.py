"""The decoder is made with other widths than the one that was trained, so its weights have no place
for those in the file. Look at what you called in the cell that trains."""


def my_captioner():
    return CaptionDecoder(len(scene_vocabulary()), 32, state_width=96, embedding_width=32, hidden_width=32)
