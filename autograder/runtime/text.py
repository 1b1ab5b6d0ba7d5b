"""A student's text: its lines, and a form that can be stored and shown."""

import json
import re
from typing import Any


def parse_json(data: bytes | str) -> Any:
    """Parse JSON in UTF-8. A lone surrogate, which cannot be encoded in a file or a page, becomes a question mark.

    Raises ValueError or RecursionError for invalid JSON.
    """
    text = data if isinstance(data, str) else data.decode("utf8")
    value = json.loads(text)
    if "\\ud" not in text and "\\uD" not in text:  # whole pairs are written in the same way
        return value
    return _without_surrogates(value)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf8", "replace").decode("utf8")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return (
        {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def source_lines(text: str, keepends: bool = False) -> list[str]:
    """Return the lines of a source as Python counts them. ``str.splitlines`` also splits at form feeds, U+2028 and others."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
    return lines if keepends else [line.rstrip("\r\n") for line in lines]


def quotation(text: str) -> str:
    """Return a student's text in quotation marks, on one line, so that it cannot look like a sentence of the grader's."""
    inside = " ".join(text.replace("“", "'").replace("”", "'").split())
    return f"“{inside}”"
