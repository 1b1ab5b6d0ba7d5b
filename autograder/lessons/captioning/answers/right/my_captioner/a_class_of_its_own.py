"""A subclass with all widths settled."""
class Captioner(CaptionDecoder):
    """The same parts, with all widths settled, and names for the words."""

    def __init__(self):
        super().__init__(len(scene_vocabulary()), 32, 128, 32, 32)
        self.words = scene_vocabulary().words


def my_captioner():
    return Captioner()
