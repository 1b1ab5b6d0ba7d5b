"""The notebook says that it is written in another language."""

def hand_in(folder, notebook, save):
    notebook["metadata"]["kernelspec"] = {"name": "bash", "display_name": "Bash", "language": "bash"}
    save(notebook)
