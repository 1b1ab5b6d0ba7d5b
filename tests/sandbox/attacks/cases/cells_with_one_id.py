"""All cells have one id, and every solution stands twice: as a raw cell and as code, each with the other's grade_id."""

import copy


def hand_in(folder, notebook, save):
    cells = []
    for cell in notebook["cells"]:
        cell["id"] = "same"
        cells.append(cell)
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            raw = copy.deepcopy(cell)
            raw["cell_type"] = "raw"
            for key in ("outputs", "execution_count"):
                raw.pop(key, None)
            raw["metadata"]["nbgrader"] |= {"grade": True, "points": 1000, "task": True}
            cells.append(raw)
    notebook["cells"] = cells
    save(notebook)
