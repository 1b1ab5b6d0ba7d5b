"""Three hundred folders, each in the one before."""

import os


def hand_in(folder, notebook, save):
    save(notebook)
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(300):
            os.mkdir("a")
            os.chdir("a")
        open("model.safetensors", "w").close()
    finally:
        os.chdir(here)
