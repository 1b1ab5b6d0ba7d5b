"""Sources that end lines in every way that Unicode knows, with text that searches for imports go through again and again."""

def hand_in(folder, notebook, save):
    lines = "".join(end + "import " for end in ("\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028")) * 2_000
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and cell["metadata"].get("nbgrader", {}).get("grade_id") == "softmax":
            cell["source"] = lines + " " * 50_000 + "(" * 5_000 + "\0"
    save(notebook)
