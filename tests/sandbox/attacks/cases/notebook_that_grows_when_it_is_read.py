"""An archive of 100 kB holds a notebook of 90 MB, made of empty lists: as objects they would take two gigabytes."""

import json
import zipfile


def hand_in(folder, notebook, save):
    with zipfile.ZipFile(folder / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("attention.ipynb", "w") as file:
        file.write(json.dumps(notebook)[:-1].encode() + b', "more": [')
        for _ in range(30):
            file.write(b"[]," * 1_000_000)
        file.write(b"[]]}")
