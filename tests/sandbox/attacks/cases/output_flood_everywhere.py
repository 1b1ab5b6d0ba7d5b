"""Every cell prints as much as is kept of one cell, and shows as many pictures."""

FLOOD = """
import base64, os, struct
from IPython.display import display
HEAD = b"\\x89PNG\\r\\n\\x1a\\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 400, 300)
print("flood" * 4_000)
for _ in range(40):
    display({"image/png": base64.b64encode(HEAD + os.urandom(30_000)).decode(), "text/plain": "flood " * 500}, raw=True)
import attack_module_that_is_missing
"""


def hand_in(folder, notebook, save):
    notebook["cells"] += [{"cell_type": "code", "metadata": {}, "source": FLOOD} for _ in range(60)]
    save(notebook)
