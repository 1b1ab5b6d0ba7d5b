"""Raw cells of every kind that a page could insert as it is."""

SCRIPT = "<script>document.title='attack-script-ran'</script><div class='navbar-fixed-top' id='top'>Score: 14.0 / 14.0</div>"


def hand_in(folder, notebook, save):
    kinds = ("", "text/html", "text/markdown", "text/latex", "image/svg+xml", "text/restructuredtext", "TEXT/HTML", ["text/html"])
    notebook["cells"] = [
        {"cell_type": "raw", "metadata": {"raw_mimetype": kind, "format": kind}, "source": SCRIPT} for kind in kinds
    ] + notebook["cells"]
    save(notebook)
