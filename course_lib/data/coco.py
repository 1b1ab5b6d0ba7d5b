"""COCO captions from the files that https://cocodataset.org offers: 2017 Train/Val images and annotations."""

import json
from collections import defaultdict
from functools import partial
from os import PathLike
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from course_lib.data.pictures import CaptionedPictures
from course_lib.data.words import words_of

EXAMPLE = "annotations/captions_val2017.json"


def coco_captions(annotations: str | PathLike[str], images: str | PathLike[str], size: int = 224) -> CaptionedPictures:
    """Return the captioned pictures of COCO, in the order of their ids; pictures without a caption are left out.

    annotations: the JSON file of captions, such as annotations/captions_val2017.json; images: the folder that the
    pictures were unpacked to, such as val2017; size: of the square pictures, in pixels; see `to_tensor`.

    Raises FileNotFoundError if the file or the folder is missing and ValueError if the file is not in this format.
    A picture that is missing or broken raises FileNotFoundError or OSError, with its path, when it is opened.
    """
    file, folder = Path(annotations), Path(images)
    if not file.is_file():
        raise FileNotFoundError(f"There is no file {file}. Expected COCO's captions, such as {EXAMPLE}.")
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder}. Expected the folder with COCO's pictures.")
    names, sentences = read_annotations(file)
    chosen = sorted(sentences)
    paths = [folder / names[picture] for picture in chosen]
    captions = [[words_of(sentence) for sentence in sentences[picture]] for picture in chosen]
    return CaptionedPictures(captions, partial(_open, paths), size)


def read_annotations(file: Path) -> tuple[dict[int, str], dict[int, list[str]]]:
    """Return the pictures' file names and their captions, by id. Raises ValueError if the file is in another format."""
    try:
        content = json.loads(file.read_text(encoding="utf8"))
        names = {picture["id"]: picture["file_name"] for picture in content["images"]}
        found = [(entry["image_id"], entry["caption"]) for entry in content["annotations"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"Expected {file} to hold COCO's captions: JSON with images (id, file_name) and annotations (image_id, "
            f"caption), got {type(error).__name__}: {error}. Files of instances or keypoints hold none; take {EXAMPLE}."
        ) from error
    sentences = defaultdict(list)
    for picture, sentence in found:
        if picture not in names:
            raise ValueError(f"{file} has a caption for the picture {picture}, which is not among its images.")
        sentences[picture].append(sentence)
    return names, dict(sentences)


def _open(paths: list[Path], place: int) -> Image.Image:
    try:
        with Image.open(paths[place]) as picture:
            picture.load()
            return picture
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"There is no picture {paths[place]}. Do the pictures and the captions belong together (train or val)?"
        ) from error
    except (UnidentifiedImageError, OSError) as error:
        raise OSError(
            f"The picture {paths[place]} cannot be read; it may be cut short. Pillow says: {error}"
        ) from error
