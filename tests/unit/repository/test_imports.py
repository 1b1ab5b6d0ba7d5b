"""Who may import whom, read from the parsed sources; and that importing the packages costs next to nothing."""

import ast
import functools
import re
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest
from known import LESSONS, points

from autograder.authoring.build import build, write
from autograder.checks.execute import NotebookStudent
from autograder.content import notebook
from autograder.verdict.runner import run_checks

OWN = {"course_lib", "autograder", "solutions", "tests"}

#: What each package of the autograder may import of it, besides itself.
_VERDICT = {"runtime", "content", "checks", "diagnosis", "verdict"}
MAY_IMPORT = {
    "runtime": set(),
    "content": {"runtime"},
    "checks": {"runtime", "content"},
    "diagnosis": {"runtime", "content", "checks"},
    "verdict": {"runtime", "content", "checks", "diagnosis"},
    "notebook": _VERDICT,
    "lessons": _VERDICT | {"notebook"},
    "sandbox": {"runtime", "content", "checks"},
    "grading": _VERDICT | {"notebook", "sandbox"},
    "nbgrader_plugins": {"content", "grading"},
    "authoring": _VERDICT | {"sandbox", "grading"},
    "cli": {"sandbox", "grading", "authoring"},
    "judging": set(),  # old names
    "__main__": {"cli"},
    "__init__": {"notebook"},
}

ENGINE = [name for name in MAY_IMPORT if name not in ("lessons", "judging", "__main__")]


@functools.cache
def imported(path):
    """Return the full name of everything that a file imports, also inside functions."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@functools.cache
def files(root, folder):
    """Return the Python files in a folder, but for what students write: one hostile submission is too deep to be parsed."""
    barred = ("sandbox/attacks/cases", "/answers/", "second_course/solutions")
    found = [
        path for path in sorted((root / folder).rglob("*.py")) if not any(part in path.as_posix() for part in barred)
    ]
    assert found, f"{folder} holds no Python files"
    return found


def engine(root):
    return [path for path in files(root, "autograder") if part_of(path, root) in ENGINE]


def part_of(path, root):
    return path.relative_to(root / "autograder").parts[0].removesuffix(".py")


def test_nothing_lies_at_the_top_but_the_entrances(root):
    top = {path.name for path in (root / "autograder").iterdir() if path.name != "__pycache__"}
    assert top == {"__init__.py", "__main__.py"} | {name for name in MAY_IMPORT if "_" not in name[:2]}


def test_each_package_imports_only_what_lies_below_it(root):
    for path in files(root, "autograder"):
        own = part_of(path, root)
        parts = {name.split(".")[1] for name in imported(path) if name.startswith("autograder.")}
        assert parts <= MAY_IMPORT[own] | {own}, path


@functools.cache
def graph(root):
    """Return the modules of the autograder, each with those that it imports."""
    modules = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in files(root, "autograder")
    }
    found = {}
    for name, path in modules.items():
        parts = {".".join(full.split(".")[:end]) for full in imported(path) for end in range(1, full.count(".") + 2)}
        own = {part for part in parts & modules.keys() if part != name}
        # A package counts where something of its own is imported, not where it only stands before a module's name.
        found[name] = {one for one in own if not any(other.startswith(f"{one}.") for other in own)}
    return found


def test_the_import_graph_has_no_circle(root):
    TopologicalSorter(graph(root)).prepare()  # raises CycleError, with the circle


def test_the_engine_names_no_lesson_and_no_exercise(root):
    """Neither in its imports nor in its strings; docstrings may give an example."""
    lessons = LESSONS.names()
    own = {name for lesson in LESSONS.all() for name in lesson.exercises}
    folders = {path.name for path in (root / "solutions").iterdir()}
    for path in engine(root):
        assert not [name for name in imported(path) if ".lessons." in f"{name}."], path
        if path.name in ("calls.py", "edits.py"):
            continue  # they list how PyTorch's own operators are called
        tree = ast.parse(path.read_text(encoding="utf8"))
        shown = {id(node.body[0].value) for node in ast.walk(tree) if _has_docstring(node)}
        texts = [
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in shown
        ]
        for text in texts:
            said = text.removeprefix("torch.nn.functional.").removeprefix("torch.nn.")
            assert text not in {*lessons, *folders}, f"{path}: {text!r} is a lesson"
            assert said != text or text not in own, f"{path}: {text!r} is an exercise"


def _has_docstring(node):
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr)


def test_code_beside_a_student_imports_nothing_else(root):
    """Both folders are mounted in the sandbox, whole."""
    for folder in ("autograder/runtime", "autograder/sandbox/inside"):
        for path in files(root, folder):
            ours = [name for name in imported(path) if name.startswith("autograder.")]
            allowed = ("autograder.runtime", "autograder.sandbox.inside")
            assert all(name.startswith(allowed) for name in ours), (path, ours)


def test_checks_need_one_import_of_the_engine(root):
    """An author of checks reads one list: ``autograder.checks.__all__``."""
    for path in files(root, "autograder/lessons"):
        if path.parent.name == "checks":
            ours = {name.rpartition(".")[0] for name in imported(path) if name.startswith("autograder.")}
            assert {name for name in ours if not name.startswith("autograder.lessons")} <= {"autograder.checks"}, path


def test_two_lessons_may_have_an_exercise_of_one_name(second_course):
    """Names belong to their lesson: the other course calls an exercise as one of this course is called."""
    package = second_course.root / "signal_lessons" / "averages"
    for path in (*package.rglob("*.py"), *second_course.solutions.rglob("*.py")):
        text = path.read_text(encoding="utf8")
        path.write_text(re.sub(r"\bstandardise\b", "softmax", text), encoding="utf8")
    (package / "checks" / "check_standardise.py").rename(package / "checks" / "check_softmax.py")
    built = build(second_course, second_course.sources()[0])
    write(built)
    names, lesson = notebook.run(built.solution_path).namespace, second_course.lessons.of("01-averages")
    assert lesson.exercises == ("softmax", "moving_average", "echo")
    reports = [run_checks(name, NotebookStudent(names, lesson), seed=1) for name in lesson.exercises]
    assert [report.earned for report in reports] == [3, 4, 3]
    assert points("01-attention")["softmax"] == 7
    other = run_checks("softmax", NotebookStudent(names, LESSONS.of("01-attention")), seed=1)
    assert other.earned < other.points == 7


def test_course_lib_imports_nothing_else_of_the_course(root):
    for path in files(root, "course_lib"):
        ours = {name for name in imported(path) if name.split(".")[0] in OWN}
        assert all(name.startswith("course_lib") for name in ours), (path, ours)


def test_autograder_takes_no_layers_from_course_lib(root):
    """What is right is never decided by the course's own layers. Data, devices, seeds and reading files decide nothing."""
    for path in files(root, "autograder"):
        ours = {name for name in imported(path) if name.startswith("course_lib")}
        allowed = (
            "course_lib.devices",
            "course_lib.data",
            "course_lib.digits_file",
            "course_lib.training",
            "course_lib.generators",
            "course_lib.live",
            "course_lib.pretrained",
            "course_lib.variants",
        )
        assert all(name.startswith(allowed) for name in ours), (path, ours)


@pytest.mark.parametrize(
    "package", ["runtime", "content", "checks", "diagnosis", "verdict", "notebook", "lessons", "sandbox"]
)
def test_checking_packages_do_not_import_nbgrader(root, package):
    for path in files(root, f"autograder/{package}"):
        assert not [name for name in imported(path) if name.startswith("nbgrader")], path


def test_no_star_imports_and_no_changes_of_sys_path(root):
    for folder in ("course_lib", "autograder", "tests"):
        for path in files(root, folder):
            text = path.read_text(encoding="utf8")
            assert not [name for name in imported(path) if name.endswith("*")], path
            assert "sys.path." not in text.replace('"sys.path."', ""), path


@pytest.mark.parametrize("package", ["course_lib", "autograder", "autograder.cli.main", "autograder.lessons.attention"])
def test_importing_a_package_loads_nothing_heavy(package):
    heavy = {"torch", "matplotlib", "pytest", "IPython", "nbgrader", "numpy"}
    assert loaded_by(package, heavy) == "[]"


@pytest.mark.parametrize(
    "module",
    [
        *(f"grading.gradebook.{name}" for name in ("class_run", "writer", "feedback")),
        *("grading.lms.collect", "grading.lms.export", "grading.teacher.report", "authoring.demo", "authoring.site"),
    ],
)
def test_a_process_that_computes_no_tensor_does_not_load_pytorch(module):
    """It takes three seconds of a core in each of the processes that a command starts, and joblib with NumPy a quarter of one."""
    assert loaded_by(f"autograder.{module}", {"torch", "joblib"}) == "[]"


def test_a_grading_process_does_not_load_matplotlib():
    """It asks the course's data where the digits lie, and draws nothing."""
    modules = (
        "autograder.grading.run.grade, autograder.grading.run.sandbox_executor, course_lib.data, course_lib.training"
    )
    assert loaded_by(modules, {"matplotlib"}) == "[]"


def test_a_grading_process_starts_the_sandbox_before_it_loads_pytorch():
    """The sandbox loads PyTorch too, at the same time, on another core. What is mounted in it is decided before."""
    mounting = "from autograder.sandbox.outside.mounts import mounts; [*mounts(())]"
    assert loaded_by(f"autograder.grading.run.worker; {mounting}", {"torch"}) == "[]"


def loaded_by(module, heavy):
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
