"""A folder stands where the notebook is looked for, and holds one, and another in other capitals beside it."""

import json


def hand_in(folder, notebook, save):
    (folder / "attention.ipynb").mkdir()
    for name in ("attention.ipynb/attention.ipynb", "ATTENTION.IPYNB"):
        (folder / name).write_text(json.dumps(notebook))
