import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import course_lib
from course_lib.tables import Table

PACKAGE = Path(course_lib.__file__).parent
CODE = """
import sys
before = len(sys.modules)
import course_lib
print(len(sys.modules) - before, [name for name in ("torch", "numpy", "matplotlib") if name in sys.modules])
"""


def test_importing_course_lib_is_cheap():
    answer = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    ).stdout
    modules, _, heavy = answer.partition(" ")
    assert heavy.strip() == "[]"
    assert int(modules) < 20


def test_the_version_is_there():
    assert course_lib.__version__ == "0.1.0"


@pytest.mark.parametrize(("before", "after"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_somebody_wants_them_to_spin(before, after):
    environment = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
    environment |= {"OMP_WAIT_POLICY": before} if before else {}
    code = "import course_lib, os; print(os.environ['OMP_WAIT_POLICY'])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert answer.stdout.strip() == after


def test_every_lesson_imports_course_lib_before_anything_that_loads_torch(root):
    notebooks = sorted((root / "solutions").glob("*/*.py"))
    assert notebooks
    for path in notebooks:
        first = next(
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))) if isinstance(node, ast.Import)
        )
        assert [alias.name for alias in first.names] == ["course_lib"], path


def imported_names(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_course_lib_imports_nothing_else_of_the_project(file):
    installed = {
        "torch",
        "numpy",
        "matplotlib",
        "jaxtyping",
        "joblib",
        "safetensors",
        "IPython",
        "anywidget",
        "traitlets",
    }
    allowed = set(sys.stdlib_module_names) | {"course_lib"} | installed
    if PACKAGE / "data" in file.parents:
        allowed |= {"sklearn", "PIL", "datasets", "tokenizers"} | (
            {"transformers"} if file.stem == "clip_weights" else set()
        )
    if PACKAGE / "pretrained" in file.parents:
        allowed |= {"gguf", "huggingface_hub", "onnx", "platformdirs", "tokenizers"}
    assert imported_names(file.read_text(encoding="utf-8")) <= allowed


def test_a_table_reads_well_as_text():
    table = Table("Times", (("mine", "10 ms"), ("torch", "5 ms")), ("", "median"), numeric=True)
    assert str(table) == "Times\n         median\n  mine    10 ms\n  torch    5 ms"
    assert repr(table) == str(table)


def test_a_table_escapes_what_it_shows_as_html():
    html = Table("a < b", (("<script>", "&"),))._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "&amp;" in html
    assert "a &lt; b" in html
    assert "color" not in html  # the notebook's theme decides
