"""Captioned pictures, text and sentence pairs from the Hugging Face Hub, through the package `datasets`."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from PIL import Image

from course_lib.data.english import Document
from course_lib.data.pictures import CaptionedPictures
from course_lib.data.text_files import articles_of
from course_lib.data.text_pairs import Words, chosen
from course_lib.data.words import words_of


def hub_captions(
    name: str, split: str, image: str = "image", caption: str = "caption", size: int = 224, **options: Any
) -> CaptionedPictures:
    """Return the captioned pictures of a data set on the Hugging Face Hub, downloaded and cached by `datasets`.

    name, split and further `options` (data_files=..., revision=...): as for `datasets.load_dataset`.
    image, caption: the names of the columns. A caption is a string, or a list of strings. size: as for `coco_captions`.

    Raises ImportError without the package and ValueError if a column is missing or holds something else.
    """
    return from_table(_load(name, split=split, **options), image, caption, size)


def hub_text(
    name: str = "Salesforce/wikitext",
    config: str | None = "wikitext-2-raw-v1",
    split: str = "train",
    column: str = "text",
    **options: Any,
) -> tuple[Document, ...]:
    """Return the articles of a data set of lines on the Hugging Face Hub, by default WikiText-2, downloaded by `datasets`.

    name, config, split and further `options`: as for `datasets.load_dataset`. column: the one with the lines. A heading
    " = Title = " begins an article, as in WikiText.

    Raises ImportError without the package and ValueError if the column is missing or holds no text.
    """
    table = _load(name, config, split=split, **options)
    _check_columns(table, column)
    lines = table[column]
    if not all(isinstance(line, str) for line in lines):
        raise ValueError(f"Expected the column {column!r} to hold text.")
    return articles_of(lines)


def hub_pairs(
    name: str = "Helsinki-NLP/opus_books",
    config: str | None = "en-fr",
    split: str = "train",
    languages: tuple[str, str] = ("en", "fr"),
    column: str = "translation",
    longest: int | None = None,
    most: int | None = None,
    **options: Any,
) -> tuple[list[Words], list[Words]]:
    """Return sentence pairs of a data set on the Hugging Face Hub as lists of tokens, as `tab_separated_pairs` does.

    name, config, split and further `options`: as for `datasets.load_dataset`. column: the one with a dictionary that holds a
    sentence in each language.

    Raises ImportError without the package and ValueError if the column is missing or holds something else.
    """
    table = _load(name, config, split=split, **options)
    _check_columns(table, column)
    cells = table[column]
    if not all(isinstance(cell, dict) and all(isinstance(cell.get(one), str) for one in languages) for cell in cells):
        raise ValueError(
            f"Expected the column {column!r} to hold sentences under {' and '.join(map(repr, languages))}."
        )
    return chosen(((cell[languages[0]], cell[languages[1]]) for cell in cells), longest, most)


def _load(*arguments: Any, **options: Any) -> Any:
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise ImportError(
            "Data sets of the Hugging Face Hub need the package datasets: pip install 'attention-course[datasets]' "
            "or pip install datasets pillow"
        ) from error
    return load_dataset(*arguments, **options)


def from_table(table: Any, image: str = "image", caption: str = "caption", size: int = 224) -> CaptionedPictures:
    """Return the captioned pictures of a loaded `datasets.Dataset`; arguments as for `hub_captions`."""
    _check_columns(table, image, caption)
    captions = [_sentences(cell, caption) for cell in table[caption]]  # one column: no picture is decoded
    return CaptionedPictures([list(map(words_of, cell)) for cell in captions], partial(_open, table, image), size)


def _check_columns(table: Any, *columns: str) -> None:
    if not hasattr(table, "column_names") or not hasattr(table, "__len__") or isinstance(table, dict):
        raise ValueError(
            f"Expected one split of a data set, got {type(table).__name__}. Name the split, and do not stream it."
        )
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise ValueError(f"There is no column {missing[0]!r}; the columns are {', '.join(table.column_names)}.")


def _sentences(cell: Any, column: str) -> list[str]:
    sentences = [cell] if isinstance(cell, str) else cell
    if not isinstance(sentences, Iterable) or not all(isinstance(sentence, str) for sentence in sentences):
        raise ValueError(f"Expected the column {column!r} to hold strings or lists of strings, got {cell!r}.")
    return list(sentences)


def _open(table: Any, column: str, place: int) -> Image.Image:
    picture = table[place][column]
    if not isinstance(picture, Image.Image):
        raise ValueError(
            f"Expected the column {column!r} to hold pictures (datasets.Image), got {type(picture).__name__}. "
            f"Try dataset.cast_column({column!r}, datasets.Image())."
        )
    return picture
