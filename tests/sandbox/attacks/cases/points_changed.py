"""The points of the locked cells are changed."""

def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if "points" in cell["metadata"].get("nbgrader", {}):
            cell["metadata"]["nbgrader"]["points"] = 1000
            cell["metadata"]["nbgrader"]["checksum"] = "0"
    save(notebook)
