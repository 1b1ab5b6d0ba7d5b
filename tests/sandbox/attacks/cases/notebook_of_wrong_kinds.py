"""Cells that are numbers, and sources that are objects."""

def hand_in(folder, notebook, save):
    notebook["cells"] = [7, None, "x", {"cell_type": "code", "source": {"a": 1}, "metadata": [], "outputs": "x"}]
    save(notebook)
