"""All widths by position."""


def my_captioner():
    return CaptionDecoder(33, 32, 128, 32, 32)
