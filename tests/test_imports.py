"""Who may import whom, read from the parsed sources; and that importing the packages costs next to nothing."""

import ast
import subprocess
import sys

import pytest

OWN = {"course_lib", "autograder", "solutions", "tests"}
#: What may not know of nbgrader, the command line or the class.
PURE = ["autograder/checks", "autograder/misconceptions"]


def imported(path):
    """Yield the full name of everything that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files(root, folder):
    """Return the Python files in a folder, but for the hostile submissions: one of them is nested too deeply to be parsed."""
    found = sorted(path for path in (root / folder).rglob("*.py") if "attacks/cases" not in path.as_posix())
    assert found, f"{folder} holds no Python files"
    return found


def test_course_lib_imports_nothing_of_ours_but_itself(root):
    for path in files(root, "course_lib"):
        ours = {name for name in imported(path) if name.split(".")[0] in OWN}
        assert all(name.startswith("course_lib") for name in ours), (path, ours)


def test_autograder_takes_no_layers_from_course_lib(root):
    """What is right is never decided by the course's own layers. Data, devices and the reading of checkpoints decide nothing."""
    for path in files(root, "autograder"):
        if "misconceptions" in path.parts:  # what students write
            continue
        ours = {name for name in imported(path) if name.startswith("course_lib")}
        allowed = ("course_lib.devices", "course_lib.data", "course_lib.training")
        assert all(name.startswith(allowed) for name in ours), (path, ours)


@pytest.mark.parametrize("folder", PURE)
def test_checks_know_nothing_of_nbgrader_or_the_command_line(root, folder):
    barred = (
        "nbgrader",
        "autograder.nbgrader_plugins",
        "autograder.cli",
        "autograder.authoring.build",
        "autograder.authoring.demo",
        "autograder.authoring.audit",
    )
    for path in files(root, folder):
        assert not [name for name in imported(path) if name.startswith(barred)], path


def test_nobody_uses_star_imports_or_changes_sys_path(root):
    for folder in ("course_lib", "autograder", "tests"):
        for path in files(root, folder):
            text = path.read_text(encoding="utf8")
            assert not [name for name in imported(path) if name.endswith("*")], path
            assert "sys.path." not in text.replace('"sys.path."', ""), path


@pytest.mark.parametrize("package", ["course_lib", "autograder", "autograder.cli"])
def test_importing_a_package_loads_nothing_heavy(package):
    heavy = {"torch", "matplotlib", "pytest", "IPython", "nbgrader", "numpy"}
    code = f"import sys, {package}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
