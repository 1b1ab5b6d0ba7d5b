"""The result of a cell, reduced to output that may appear on a page."""

import base64
import binascii
from dataclasses import dataclass, field
from typing import Any

#: Maximum width and height of a picture in pixels: a small file may hold very many.
MOST_PIXELS = 10_000

_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"


@dataclass
class CellResult:
    """The result of a cell: outputs in nbformat's form, and (name, message, traceback) of its error."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    error: tuple[str, str, str] | None = None


def cell_result(reply: dict[str, Any]) -> CellResult:
    """Read the reply for a cell; invalid parts are dropped."""
    outputs = reply.get("outputs")
    permitted = [output for item in (outputs if isinstance(outputs, list) else [])[:60] if (output := clean(item))]
    error = reply.get("error")
    if not isinstance(error, dict):
        return CellResult(permitted)
    name, message, trace = (readable(error.get(key, "")) for key in ("ename", "evalue", "traceback"))
    return CellResult(permitted, (name[:100], message[:2000], trace))


def readable(text: Any) -> str:
    """Return text of limited length that can be encoded as UTF-8: a lone surrogate becomes a question mark."""
    return text[:30_000].encode("utf8", "replace").decode("utf8") if isinstance(text, str) else ""


def clean(item: Any) -> dict[str, Any] | None:
    """Return one output with only the permitted content: text, and a picture that really is a PNG file."""
    if not isinstance(item, dict):
        return None
    if item.get("output_type") == "stream" and item.get("name") in ("stdout", "stderr"):
        return {"output_type": "stream", "name": item["name"], "text": readable(item.get("text", ""))}
    data = item.get("data")
    if not isinstance(data, dict):
        return None
    by_mime_type = {}
    if isinstance(text := data.get("text/plain"), str):
        by_mime_type["text/plain"] = readable(text)
    if isinstance(picture := data.get("image/png"), str) and _is_png(picture):
        by_mime_type["image/png"] = "".join(picture.split())
    if not by_mime_type:
        return None
    if item.get("output_type") == "execute_result":
        return {"output_type": "execute_result", "data": by_mime_type, "metadata": {}, "execution_count": None}
    return {"output_type": "display_data", "data": by_mime_type, "metadata": {}}


def _is_png(text: str) -> bool:
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    return data.startswith(_PNG) and len(data) < 4_000_000 and max(width, height) <= MOST_PIXELS
