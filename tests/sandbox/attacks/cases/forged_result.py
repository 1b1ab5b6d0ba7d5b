"""A result file is handed in together with the notebook."""

import json


def hand_in(folder, notebook, save):
    save(notebook)
    place = folder / "grading" / "results" / "00"
    place.mkdir(parents=True)
    (place / ("0" * 64 + ".json")).write_text(json.dumps({"key": "0" * 64, "exercises": [], "cells": {}, "sealed": True}))
