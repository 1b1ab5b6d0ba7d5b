"""Scripts in the text, in what is shown and in what is raised."""

SCRIPT = "<script>document.title='attack-script-ran'</script><img src=x onerror=\"document.title='attack-script-ran'\">"


def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = SCRIPT if cell["cell_type"] == "markdown" else (
                "from IPython.display import HTML, Javascript, display\n"
                f"display(HTML({SCRIPT!r}), Javascript('document.title=\"attack-script-ran\"'))\n"
                f"print({SCRIPT!r})\nraise ValueError({SCRIPT!r})\n")
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": SCRIPT})
    notebook["cells"].append({"cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}, "source": SCRIPT})
    notebook["metadata"]["title"] = SCRIPT
    save(notebook)
