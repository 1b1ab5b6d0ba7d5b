"""JSON that is nested so deeply that reading it overflows the stack."""

def hand_in(folder, notebook, save):
    save(notebook)
    next(folder.glob("*.ipynb")).write_text("[" * 200_000 + "]" * 200_000)
