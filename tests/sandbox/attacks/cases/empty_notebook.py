"""The file is empty."""

def hand_in(folder, notebook, save):
    save(notebook)
    next(folder.glob("*.ipynb")).write_bytes(b"")
