"""The class itself is returned, not a decoder. Look at what makes an object of a class."""


def my_captioner():
    return CaptionDecoder
