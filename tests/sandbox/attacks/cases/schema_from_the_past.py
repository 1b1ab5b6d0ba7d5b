"""The metadata is of a version that nbgrader refuses."""

def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] = {"grade_id": cell["metadata"]["nbgrader"]["grade_id"], "grade": True}
    save(notebook)
