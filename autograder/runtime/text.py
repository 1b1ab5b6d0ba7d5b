"""Text of a student as it may be stored and shown."""

import json
import re
from typing import Any


def parse_json(data: bytes | str) -> Any:
    """Parse JSON in UTF-8. Half a surrogate pair, which no file and no page can hold, becomes a question mark.

    Raises ValueError or RecursionError for anything else.
    """
    text = data if isinstance(data, str) else data.decode("utf8")
    found = json.loads(text)
    if "\\ud" not in text and "\\uD" not in text:  # whole pairs are written in the same way
        return found
    return _whole(found)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf8", "replace").decode("utf8")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return {_whole(key): _whole(item) for key, item in value.items()} if isinstance(value, dict) else value


def quotation(text: str) -> str:
    """Return a text of a student's in quotation marks, on one line: else it may look like a sentence of the grader's."""
    return f"“{' '.join(re.sub('[“”]', chr(39), text).split())}”"
