"""Text of a student as it may be stored and shown."""

import json
from typing import Any


def parse_json(data: bytes | str) -> Any:
    """Parse JSON in UTF-8. Half a surrogate pair, which no file and no page can hold, becomes a question mark.

    Raises ValueError or RecursionError for anything else.
    """
    text = data if isinstance(data, str) else data.decode("utf8")
    found = json.loads(text)
    if "\\ud" not in text and "\\uD" not in text:  # whole pairs are written in the same way
        return found
    return json.loads(json.dumps(found, ensure_ascii=False).encode("utf8", "replace"))
