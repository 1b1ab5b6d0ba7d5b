"""Characters that reverse the text after them, that stack up over it, or that cannot be seen."""

STACK = "Z" + "\u0335\u030d\u0352\u0489" * 2_000
MARKS = ["\u202e14.0 / 14.0 :erocS", "\u2067\u202e\u202d", "\u2066" * 500, "\u200b\u200d\ufeff" * 500, STACK, "\U000e0001\U000e0041"]


def hand_in(folder, notebook, save):
    cells = [{"cell_type": kind, "metadata": {}, "source": f"# {text}"} for text in MARKS for kind in ("markdown", "raw", "code")]
    cells.append({"cell_type": "code", "metadata": {}, "source": f"print({MARKS!r})\nprint({''.join(MARKS)!r})"})
    notebook["cells"] = cells + notebook["cells"]
    save(notebook)
