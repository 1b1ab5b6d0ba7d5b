"""The time stamp is a pipe."""

import os


def hand_in(folder, notebook, save):
    save(notebook)
    os.mkfifo(folder / "timestamp.txt")
