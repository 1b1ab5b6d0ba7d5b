"""The metadata claims to be of a version that nbgrader does not know."""

def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["schema_version"] = 99
    save(notebook)
