"""Real English text that comes with Python: the language reference and the docstrings of the standard library."""

import ast
import hashlib
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PARTS = ("train", "held_out")
HELD_OUT = 8  # one of so many documents
FEWEST = 6  # minimum number of words of a paragraph
PLAIN = 0.95  # minimum share of its characters that are letters, spaces and punctuation of prose
#: Folders of the standard library without text for readers.
SKIPPED = {
    "test",
    "tests",
    "site-packages",
    "dist-packages",
    "idlelib",
    "lib2to3",
    "turtledemo",
    "ensurepip",
    "pydoc_data",
}

_LIST_MARK = re.compile(r"^(?:[*+-]|\d+\.|\([a-z\d]\))\s+")
_MARKUP = re.compile(r"``|\*\*|(?<!\w)[\"'*`:](?=[\w(])|(?<=[\w).,])[\"'*`](?!\w)")
_END_OF_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_PROSE = re.compile(r"[A-Za-z ,.;:?!'’“”()\-–—]")


@dataclass(frozen=True)
class Document:
    """One section of the reference, or the docstrings of one module: its name, and its paragraphs of prose."""

    name: str
    paragraphs: tuple[str, ...]


@cache
def python_english(part: str = "train") -> tuple[Document, ...]:
    """Return the documents of one part, sorted by name.

    One document in eight is held out, selected by its name alone. A paragraph that occurs in both parts, as copied docstrings do,
    is left out of "held_out". Other versions of Python have slightly different documents. Raises ValueError for another part.
    """
    if part not in PARTS:
        raise ValueError(f"Expected part to be one of {', '.join(map(repr, PARTS))}, got {part!r}.")
    documents = [document for document in _all() if _is_held_out(document.name) == (part == "held_out")]
    if part == "train":
        return tuple(documents)
    known = {paragraph.lower() for document in python_english("train") for paragraph in document.paragraphs}
    fresh = [Document(d.name, tuple(p for p in d.paragraphs if p.lower() not in known)) for d in documents]
    return tuple(document for document in fresh if document.paragraphs)


def paragraphs_of(text: str) -> Iterator[str]:
    """Yield the paragraphs of prose in a text, each on one line and without marks for emphasis or code.

    Headings, examples, tables and rules of grammar are left out: text that is too short, contains characters not used in prose,
    or does not begin and end like a sentence.
    """
    for block in re.split(r"\n\s*\n", text):
        words = " ".join(_MARKUP.sub("", _LIST_MARK.sub("", " ".join(block.split()))).split())
        plain = len(_PROSE.findall(words)) >= PLAIN * len(words)
        if plain and len(words.split()) >= FEWEST and words[0].isupper() and words[-1] in ".?!":
            yield words


def sentences_of(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph, cut after a full stop, question or exclamation mark before a capital."""
    return _END_OF_SENTENCE.split(paragraph.strip())


def _is_held_out(name: str) -> bool:
    """Return whether a document is held out, by a hash, which unlike a generator's numbers is the same in every version."""
    return hashlib.sha256(name.encode()).digest()[0] % HELD_OUT == 0


@cache
def _all() -> tuple[Document, ...]:
    texts = sorted([*_reference(), *_docstrings()])
    documents = [Document(name, tuple(dict.fromkeys(paragraphs_of(text)))) for name, text in texts]
    return tuple(document for document in documents if document.paragraphs)


def _reference() -> Iterator[tuple[str, str]]:
    from pydoc_data.topics import topics

    for name, text in topics.items():
        yield f"reference: {name}", text


def _docstrings() -> Iterator[tuple[str, str]]:
    """Yield the docstrings of each module, read from its source without an import."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in library.rglob("*.py"):
        inside = path.relative_to(library)
        if SKIPPED & set(inside.parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf8"))
        except (SyntaxError, UnicodeDecodeError):  # deliberately wrong files for the library's own tests
            continue
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        found = [ast.get_docstring(node) for node in _statements(tree) if isinstance(node, kinds)]
        yield f"module: {inside.as_posix()}", "\n\n".join(text for text in found if text)


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a module and its statements in the order of ``ast.walk``, but not their expressions, of which there are a million."""
    level: list[ast.AST] = [tree]
    while level:
        yield from level
        level = [
            inner
            for node in level
            for part in ("body", "handlers", "orelse", "finalbody", "cases")
            for inner in getattr(node, part, ())
        ]
