"""The lessons' own data, and loaders for real data sets."""

from course_lib.data.agreement import agreement_language, agreement_words, draw_sentences, framed, unframed
from course_lib.data.agreement_tasks import SUBJECTS, TAGS, subject_classes, who_does_it, word_tags
from course_lib.data.augmentation import erase_squares, flip_pictures, shift_pictures
from course_lib.data.byte_words import gpt2_words, word_counts
from course_lib.data.captioned_digits import CAPTION_ENTROPY, caption_of, captioned_vocabulary, draw_captioned_digits
from course_lib.data.chains import draw_chains
from course_lib.data.cifar import CIFAR_CLASSES, LabelledPictures, cifar10
from course_lib.data.clip_weights import LocalClip, local_clip
from course_lib.data.coco import coco_captions
from course_lib.data.colour_digits import ColourDigits, draw_colour_digits
from course_lib.data.digits import handwritten_digits
from course_lib.data.english import Document, python_english, sentences_of
from course_lib.data.generations import load_generation
from course_lib.data.german_questions import documentation_questions
from course_lib.data.grammar import scene_vocabulary
from course_lib.data.hub import hub_captions, hub_pairs, hub_text
from course_lib.data.masking_limit import Masking, lowest_loss, posterior
from course_lib.data.pictures import CaptionedPictures
from course_lib.data.ratings import Ratings, movie_lens, tab_separated_triples
from course_lib.data.scene_net import scene_features
from course_lib.data.scene_questions import ANSWERS, KINDS, ask_questions, question_vocabulary, scene_regions
from course_lib.data.scenes import Scenes, draw_scenes
from course_lib.data.search_task import SearchTask, draw_search
from course_lib.data.sentence_pairs import SentencePairs, draw_pairs, european_economic_area
from course_lib.data.special_tokens import CLS, MASK, ORDINARY, SEP
from course_lib.data.text_files import text_files
from course_lib.data.text_pairs import tab_separated_pairs, tokens_of
from course_lib.data.trained_captioners import load_captioner
from course_lib.data.trained_encoders import load_encoder
from course_lib.data.translation_words import english_vocabulary, french_vocabulary
from course_lib.data.videos import VideoWorld, video_world
from course_lib.data.vocabulary import END, PAD, START, UNKNOWN, Vocabulary
from course_lib.data.wordpieces import train_wordpieces
from course_lib.data.words import words_of
from course_lib.pretrained.load import Pretrained, pretrained, pretrained_or_random, random_checkpoint

__all__ = [
    "ANSWERS",
    "CAPTION_ENTROPY",
    "CIFAR_CLASSES",
    "CLS",
    "END",
    "KINDS",
    "MASK",
    "ORDINARY",
    "PAD",
    "SEP",
    "START",
    "SUBJECTS",
    "TAGS",
    "UNKNOWN",
    "CaptionedPictures",
    "ColourDigits",
    "Document",
    "LabelledPictures",
    "LocalClip",
    "Masking",
    "Pretrained",
    "Ratings",
    "Scenes",
    "SearchTask",
    "SentencePairs",
    "VideoWorld",
    "Vocabulary",
    "agreement_language",
    "agreement_words",
    "ask_questions",
    "caption_of",
    "captioned_vocabulary",
    "cifar10",
    "coco_captions",
    "documentation_questions",
    "draw_captioned_digits",
    "draw_chains",
    "draw_colour_digits",
    "draw_pairs",
    "draw_scenes",
    "draw_search",
    "draw_sentences",
    "english_vocabulary",
    "erase_squares",
    "european_economic_area",
    "flip_pictures",
    "framed",
    "french_vocabulary",
    "gpt2_words",
    "handwritten_digits",
    "hub_captions",
    "hub_pairs",
    "hub_text",
    "load_captioner",
    "load_encoder",
    "load_generation",
    "local_clip",
    "lowest_loss",
    "movie_lens",
    "posterior",
    "pretrained",
    "pretrained_or_random",
    "python_english",
    "question_vocabulary",
    "random_checkpoint",
    "scene_features",
    "scene_regions",
    "scene_vocabulary",
    "sentences_of",
    "shift_pictures",
    "subject_classes",
    "tab_separated_pairs",
    "tab_separated_triples",
    "text_files",
    "tokens_of",
    "train_wordpieces",
    "unframed",
    "video_world",
    "who_does_it",
    "word_counts",
    "word_tags",
    "words_of",
]
