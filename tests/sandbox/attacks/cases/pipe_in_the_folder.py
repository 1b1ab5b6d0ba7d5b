"""A pipe, at which whoever opens it waits for ever."""

import os


def hand_in(folder, notebook, save):
    save(notebook)
    os.mkfifo(folder / "data.txt")
