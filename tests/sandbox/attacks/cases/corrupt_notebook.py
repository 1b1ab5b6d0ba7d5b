"""The file is cut off in the middle."""

def hand_in(folder, notebook, save):
    save(notebook)
    path = next(folder.glob("*.ipynb"))
    path.write_bytes(path.read_bytes()[:3000])
