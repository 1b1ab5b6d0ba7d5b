"""Inside: the printed and displayed outputs of a cell, in order and within bounds."""

import base64
import io
from typing import Any

MAX_TEXT = 20_000


MAX_PICTURE = 1_500_000


MAX_OUTPUTS = 40


class Outputs:
    """The outputs of one cell, in nbformat's form. Output beyond a bound is dropped, and a note says so."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.text = self.pictures = 0

    def stream(self, name: str, text: str) -> None:
        room = MAX_TEXT - self.text
        if room <= 0:
            return
        self.text += len(text)
        text = text if len(text) <= room else text[:room] + "\n… more was printed than is kept.\n"
        if self.items and self.items[-1].get("name") == name:
            self.items[-1]["text"] += text
        else:
            self.add({"output_type": "stream", "name": name, "text": text})

    def show(self, data: dict[str, Any], kind: str) -> None:
        """Keep the text and the picture of a displayed value; a student's own HTML and scripts are dropped."""
        kept: dict[str, Any] = {}
        if isinstance(text := data.get("text/plain"), str):
            kept["text/plain"] = text[:MAX_TEXT]
        picture = data.get("image/png")
        picture = base64.b64encode(picture).decode() if isinstance(picture, bytes) else picture
        if isinstance(picture, str) and self.pictures + len(picture) <= MAX_PICTURE:
            self.pictures += len(picture)
            kept["image/png"] = picture
        self.add({"output_type": kind, "data": kept})

    def add(self, item: dict[str, Any]) -> None:
        if len(self.items) < MAX_OUTPUTS:
            self.items.append(item)


class Stream(io.TextIOBase):
    def __init__(self, outputs: Outputs, name: str):
        self.outputs, self.stream_name = outputs, name

    encoding = "utf-8"

    @property
    def buffer(self) -> "Bytes":
        return Bytes(self)

    def fileno(self) -> int:
        """Return the real file descriptor: output that a child process writes to it is not kept."""
        return 1 if self.stream_name == "stdout" else 2

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.outputs.stream(self.stream_name, text)
        return len(text)


class Bytes(io.RawIOBase):
    """``sys.stdout.buffer``: bytes are shown as the UTF-8 text that they encode."""

    def __init__(self, stream: Stream):
        self.stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
