"""The hidden width of the attention is left at its default, which is not the one that was trained. Look
at all widths in the cell that trains."""


def my_captioner():
    return CaptionDecoder(len(scene_vocabulary()), 32, state_width=128, embedding_width=32)
