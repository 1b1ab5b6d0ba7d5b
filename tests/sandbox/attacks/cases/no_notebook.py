"""There is no notebook."""

def hand_in(folder, notebook, save):
    (folder / "excuse.txt").write_text("My dog ate it.")
