"""The data of the lessons, and the loaders for the real thing beside them."""

from course_lib.data.coco import coco_captions
from course_lib.data.digits import handwritten_digits
from course_lib.data.grammar import scene_vocabulary
from course_lib.data.hub import hub_captions
from course_lib.data.pictures import CaptionedPictures
from course_lib.data.scene_net import scene_features
from course_lib.data.scenes import Scenes, draw_scenes
from course_lib.data.vocabulary import END, PAD, START, UNKNOWN, Vocabulary
from course_lib.data.words import words_of

__all__ = [
    "END",
    "PAD",
    "START",
    "UNKNOWN",
    "CaptionedPictures",
    "Scenes",
    "Vocabulary",
    "coco_captions",
    "draw_scenes",
    "handwritten_digits",
    "hub_captions",
    "scene_features",
    "scene_vocabulary",
    "words_of",
]
