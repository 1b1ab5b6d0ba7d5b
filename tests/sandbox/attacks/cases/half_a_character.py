"""Text that cannot be written as UTF-8."""

def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = "print('\\ud800')  # \ud800"
    save(notebook)
