"""A module of a megabyte beside the notebook, imported by many lines of one cell: the grader parses it once a line, outside all limits."""

LINES = 12


def hand_in(folder, notebook, save):
    (folder / "h.py").write_text("x=1\n" * 250000)
    notebook["cells"].insert(0, {"cell_type": "code", "id": "aaaaaaaa", "metadata": {}, "source": "if 0:\n" + "    import h\n" * LINES, "outputs": [], "execution_count": None})
    save(notebook)
