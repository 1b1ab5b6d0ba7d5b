"""A notebook of format 3, whose headings are so deep that as many signs as a gigabyte holds stand before each."""

import copy


def hand_in(folder, notebook, save):
    old = [{"cell_type": "heading", "level": 10**9, "source": "Title", "metadata": {}} for _ in range(40)]
    for cell in copy.deepcopy(notebook["cells"]):
        if cell["cell_type"] == "code":
            cell |= {"input": cell.pop("source"), "language": "python", "collapsed": False}
        old.append(cell)
    sheet = {"cells": old, "metadata": {}}
    save({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [sheet]})
