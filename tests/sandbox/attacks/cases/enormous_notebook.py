"""A cell with ten million characters."""

def hand_in(folder, notebook, save):
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "x" * 10**7})
    save(notebook)
