"""An experiment's mark on a cell that the grading needs."""

import hashlib


def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade"):
            text = "".join(cell["source"])
            cell["metadata"]["course"] = {"experiment": hashlib.sha256(text.encode()).hexdigest()[:16]}
    save(notebook)
