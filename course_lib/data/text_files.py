"""Read your own text files, and text in the format of WikiText."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from course_lib.data.english import Document

#: A heading of the first level, " = Title = ", begins an article of WikiText; lower levels have more equals signs.
_TITLE = re.compile(r"^ ?= ([^=].*?[^=]) = ?$")
_HEADING = re.compile(r"^ ?(= ){2,}.*( =){2,} ?$")


def text_files(*paths: str | os.PathLike[str], encoding: str = "utf8") -> tuple[Document, ...]:
    """Return each text file as a document; empty lines separate its paragraphs, each of which becomes one line.

    Raises ValueError for a file without text or in another encoding, and FileNotFoundError.
    """
    documents = []
    for path in map(Path, paths):
        try:
            text = path.read_text(encoding=encoding)
        except UnicodeDecodeError as error:
            raise ValueError(f"Expected {path} to be text in {encoding}: {error}. Name its encoding.") from None
        paragraphs = tuple(" ".join(block.split()) for block in re.split(r"\n\s*\n", text) if block.strip())
        if not paragraphs:
            raise ValueError(f"Expected {path} to hold text, got none.")
        documents.append(Document(path.name, paragraphs))
    return tuple(documents)


def articles_of(lines: Iterable[str]) -> tuple[Document, ...]:
    """Return the articles in the lines of WikiText (Merity et al. 2017), headings left out.

    Text before the first heading belongs to an article without a name. An article without paragraphs is left out.
    """
    articles: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        title = _TITLE.match(line.rstrip("\n"))
        if title:
            articles.append((title[1], []))
        elif line.strip() and not _HEADING.match(line.rstrip("\n")):
            articles[-1][1].append(" ".join(line.split()))
    return tuple(Document(name, tuple(paragraphs)) for name, paragraphs in articles if paragraphs)
