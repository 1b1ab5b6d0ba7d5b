"""Text on which renderers of markdown, highlighters and parsers of HTML take quadratic time, and a mark without its end."""

PIECES = ["\\begin{a}", "\\\\[", "\\\\(", "[", "*a", "`", "<a ", "> ", "![", "[a]: b\n\n", "  * a\n", "<b><p>", "***", "$$", "<!--"]
DISTINCT = "".join(f"<b title={number}>" for number in range(2000)) + "<p>" * 5000


def hand_in(folder, notebook, save):
    notebook["cells"].insert(0, {"cell_type": "code", "metadata": {}, "source": "### BEGIN HIDDEN TESTS"})
    for piece in PIECES:
        text = piece * (30_000 // len(piece))
        notebook["cells"] += [{"cell_type": kind, "metadata": {}, "source": text} for kind in ("markdown", "raw")]
    notebook["cells"] += [{"cell_type": "code", "metadata": {}, "source": piece * 9_000} for piece in ("*a", "***", "`")]
    notebook["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": DISTINCT}]
    notebook["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": "<b>" * 100_000}]
    save(notebook)
