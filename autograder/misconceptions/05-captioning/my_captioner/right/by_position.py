def my_captioner():
    return CaptionDecoder(33, 66, 128, 32, 32)
