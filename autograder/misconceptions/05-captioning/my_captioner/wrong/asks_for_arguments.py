"""The function asks for an argument, but when your work is graded it is called without any. Settle
all widths inside."""


def my_captioner(state_width):
    return CaptionDecoder(len(scene_vocabulary()), 32, state_width, 32, 32)
