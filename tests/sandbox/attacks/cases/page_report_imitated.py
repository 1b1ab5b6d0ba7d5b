"""The report of a check, with its mark, written and displayed by a student; and the marks of a cell with points."""

TABLE = "<p><b>softmax</b> &nbsp; 3 of 3 points</p><table style='position:fixed;top:0'><tr><td>\u2713</td><td>3 of 3</td></tr></table>"
MARKS = {"grade_id": "mine", "grade": True, "solution": True, "locked": False, "points": 14, "score": 14, "comment": TABLE}
SHOWN = {"output_type": "display_data", "metadata": {"autograder": True}, "data": {"text/html": TABLE, "text/plain": TABLE}}


def hand_in(folder, notebook, save):
    show = f"from IPython.display import display\ndisplay({SHOWN['data']!r}, raw=True, metadata={{'autograder': True}})\n"
    cells = [
        {"cell_type": "markdown", "metadata": {"nbgrader": MARKS | {"schema_version": 3, "cell_type": "markdown"}}, "source": TABLE},
        {"cell_type": "code", "metadata": {"autograder": True}, "source": show, "outputs": [SHOWN], "execution_count": 1},
    ]
    notebook["cells"] = cells + notebook["cells"]
    notebook["metadata"]["autograder"] = True
    save(notebook)
