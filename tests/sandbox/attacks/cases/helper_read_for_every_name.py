"""Modules beside the notebook, which the grader parses: once for each name that an exercise reads of one, and for each import and
``%run`` of many."""

FUNCTIONS, NAMES, MODULES, TIMES = 6000, 60, 40, 2


def hand_in(folder, notebook, save):
    text = "".join(f"def f{number}(): return g{number}\n" for number in range(FUNCTIONS))
    for number in range(MODULES):
        (folder / f"m{number}.py").write_text(f"{text}# {number}")
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "softmax":
            read = "".join(f"    m0.a{number}\n" for number in range(NAMES))
            cell["source"] = f"import m0\ndef softmax(E, dim=-1):\n{read}    return E"
    all_of_them = ["\n".join(f"%run m{number}.py" for number in range(MODULES)), "import " + ", ".join(f"m{number}" for number in range(MODULES))]
    for source in all_of_them * TIMES:
        notebook["cells"].insert(0, {"cell_type": "code", "id": "aaaaaaaa", "metadata": {}, "source": source, "outputs": [], "execution_count": None})
    save(notebook)
