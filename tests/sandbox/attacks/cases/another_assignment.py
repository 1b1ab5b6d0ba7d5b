"""The notebook says that it belongs to another assignment."""

def hand_in(folder, notebook, save):
    notebook["metadata"]["course"] = {"assignment": "99-easy-points", "result": "0" * 64}
    save(notebook)
