"""Files that take the place of modules which the grader imports."""

def hand_in(folder, notebook, save):
    save(notebook)
    for name in ("json", "torch", "pytest", "sitecustomize", "conftest", "autograder", "nbgrader", "socket"):
        (folder / f"{name}.py").write_text("open('/tmp/attack-trace-module', 'w').write('x')\nraise SystemExit(0)\n")
