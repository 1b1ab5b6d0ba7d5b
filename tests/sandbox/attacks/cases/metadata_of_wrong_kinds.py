"""Metadata that are lists and numbers where names are expected."""

def hand_in(folder, notebook, save):
    for number, cell in enumerate(notebook["cells"]):
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] = ["grade_id", 7, None][number % 3]
    save(notebook)
