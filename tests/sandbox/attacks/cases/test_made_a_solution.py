"""The locked cells claim to be solutions."""

def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade"):
            cell["metadata"]["nbgrader"].update(grade=False, solution=True, locked=False)
    save(notebook)
