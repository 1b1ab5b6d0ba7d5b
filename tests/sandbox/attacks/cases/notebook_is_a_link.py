"""The notebook is a link to a neighbour's."""

import os


def hand_in(folder, notebook, save):
    os.symlink("../../aa-neighbour/01-attention/attention.ipynb", folder / "attention.ipynb")
