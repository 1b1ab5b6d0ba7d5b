"""Twenty megabytes of saved state of widgets that no cell has made."""

def hand_in(folder, notebook, save):
    state = {f"{number:032x}": {"model_name": "HTMLModel", "state": {"value": "<b>" * 70}} for number in range(60_000)}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": state, "version_major": 2}}
    save(notebook)
