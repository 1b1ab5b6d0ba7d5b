"""pyproject.toml, constraints.txt and environment.yml say the same; so do the notation table and the house."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from autograder.nbgrader_plugins import server_extension


@pytest.fixture
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["project"]


@pytest.fixture
def pins(root):
    lines = (root / "constraints.txt").read_text(encoding="utf8").splitlines()
    found = [re.fullmatch(r"([\w.-]+)==([\w.!]+)", line) for line in lines if line and not line.startswith("#")]
    assert all(found), "every line of constraints.txt is NAME==VERSION"
    return {canonicalize_name(match[1]): Version(match[2]) for match in found}


def test_every_requirement_is_pinned_within_its_range(project, pins):
    wanted = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    for requirement in map(Requirement, wanted):
        version = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement} does not allow the pinned {version}"


def test_every_pin_can_be_installed_by_the_oldest_python(project, pins):
    """Debian 12 brings 3.11.2; there, a package that asks for 3.11.5 stops the whole installation."""
    oldest = Requirement(f"python{project['requires-python']}").specifier
    asked = {name: metadata.metadata(name).get("Requires-Python") or "" for name in pins if _is_here(name)}
    assert len(asked) > 100
    [first] = [each.version for each in oldest if each.operator == ">="]
    assert {name: text for name, text in asked.items() if not SpecifierSet(text).contains(f"{first}.0")} == {}


def _is_here(name):
    """Say whether it is installed: the packages for what runs at night only are pinned, too."""
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def test_torch_is_pinned_exactly_and_ranged_for_colab(project, pins):
    assert str(pins["torch"]) == "2.13.0"
    [torch] = [r for r in map(Requirement, project["dependencies"]) if r.name == "torch"]
    assert torch.specifier.contains("2.6.0")


def test_the_conda_environment_installs_this_repository_with_the_same_pins(root, project):
    environment = yaml.safe_load((root / "environment.yml").read_text(encoding="utf8"))
    assert environment["name"] == project["name"]
    [pip] = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert "--constraint constraints.txt" in pip
    extras = re.fullmatch(r"--editable \.\[([\w,]+)\]", pip[-1])
    assert extras, "the last entry is the editable install"
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])
    [python] = [entry for entry in environment["dependencies"] if str(entry).startswith("python=")]
    assert Requirement(f"python{project['requires-python']}").specifier.contains(python.removeprefix("python="))


def test_every_recipe_of_a_student_installs_the_same_extra(root):
    """make, conda, Docker, the development container, Binder and the README's lines."""
    texts = {name: (root / name).read_text(encoding="utf8") for name in RECIPES}
    found = {name: set(re.findall(r"(?:\.|course)\[([\w,]+)\]", text)) for name, text in texts.items()}
    found["Makefile"] = set(re.findall(r"ready-lab: EXTRAS := ([\w,]+)", texts["Makefile"]))
    wanted = {name: {"lab"} for name in RECIPES}
    assert {name: extras & {"lab"} for name, extras in found.items()} == wanted


def test_each_recipe_of_a_student_finds_its_pins(root):
    """pip takes a constraint for a path beside the file that names it; whatever Docker installs has the pins, PyTorch too."""
    requirements = root / "binder" / "requirements.txt"
    [pins] = re.findall(r"(?m)^--constraint (.+)$", requirements.read_text(encoding="utf8"))
    assert (requirements.parent / pins).samefile(root / "constraints.txt")
    lines = (root / "Dockerfile").read_text(encoding="utf8").splitlines()
    assert "docker run" in lines[1], "the README names the second line"
    [install] = [line for line in lines if "pip install" in line]
    assert "--constraint /course/constraints.txt" in install


def test_the_hooks_leave_what_students_read_as_its_author_wrote_it(root):
    """pre-commit names each file that has changed, and ruff leaves out by itself only what it finds in folders."""
    files = [
        *sorted(root.glob("solutions/*/*.py"))[:1],
        *sorted(root.glob("autograder/lessons/*/answers/right/*/*.py"))[:1],
    ]
    assert len(files) == 2
    command = [sys.executable, "-m", "ruff", "format", "--diff", *map(str, files)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


RECIPES = (
    "Makefile",
    "environment.yml",
    "Dockerfile",
    ".devcontainer/devcontainer.json",
    "binder/requirements.txt",
    "README.md",
)


def test_the_package_brings_the_notebooks_of_every_lesson(root, project):
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["tool"]["setuptools"]["data-files"]
    for path in root.glob("assignments/*/*.ipynb"):
        lesson = path.parent.name
        assert settings[f"share/attention-course/assignments/{lesson}"] == [f"assignments/{lesson}/*.ipynb"]


def test_the_package_brings_what_kernels_and_servers_read_when_they_start(root):
    """pyproject.toml for a wheel, and the Makefile for an editable install, which leaves these files out."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["tool"]["setuptools"]["data-files"]
    makefile = (root / "Makefile").read_text(encoding="utf8")
    for place in ("etc/ipython", "etc/jupyter/jupyter_server_config.d"):
        [file] = settings[place]
        assert (root / file).is_file()
        assert f"cp {file} $(VENV)/{place}/" in makefile
    extensions = json.loads((root / file).read_text(encoding="utf8"))["ServerApp"]["jpserver_extensions"]
    assert [*extensions] == [one["module"] for one in server_extension._jupyter_server_extension_points()]


def test_the_package_brings_every_template_of_the_pages(root):
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["tool"]["setuptools"]["package-data"]
    named = {path for pattern in settings["autograder"] for path in (root / "autograder").glob(pattern)}
    templates = {path for path in (root / "autograder").rglob("templates/**/*") if path.is_file()}
    assert {path.name for path in templates} >= {"marking.html.j2", "marking.css", "marking.js", "report.js"}
    assert templates <= named


def test_the_package_brings_every_file_of_course_lib(root):
    """The scripts of the widgets and the trained weights are no modules: they travel because pyproject.toml names them."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["tool"]["setuptools"]["package-data"]
    folder = root / "course_lib"
    named = {path for pattern in settings["course_lib"] for path in folder.glob(pattern)}
    others = {path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert {path.name for path in others} >= {"explorer.js", "question.js", "py.typed"}
    assert others <= named


def closure(project, extras):
    """Return the installed packages that the project with these extras needs, by their metadata, without PyTorch's own."""
    waiting = [Requirement(text) for text in project["dependencies"]]
    waiting += [Requirement(text) for extra in extras for text in project["optional-dependencies"][extra]]
    seen = {}
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        known = seen.setdefault(name, set())
        new = (wanted.extras | {""}) - known
        if not new or name == "torch" or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        known |= new
        for text in metadata.requires(name) or ():
            inner = Requirement(text)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in new):
                inner.marker = None
                waiting.append(inner)
    return {name for name, known in seen.items() if known}


def size(names):
    files = (file for name in names for file in metadata.files(name) or ())
    return sum(path.stat().st_size for file in files if (path := file.locate()).is_file())


def test_a_students_environment_is_light(project):
    """Nothing of grading, building or testing, and at most 60 % of the bytes of everything, without PyTorch."""
    student, everything = closure(project, ["lab"]), closure(project, ["lab", "teach", "dev"])
    assert student < everything
    assert not student & {
        "nbgrader",
        "playwright",
        "transformers",
        "mypy",
        "ruff",
        "distributed",
        "sqlalchemy",
        "pandas",
    }
    assert {"jupyterlab", "ipykernel", "matplotlib", "scikit-learn"} <= student
    assert size(student) <= 0.6 * size(everything), f"{size(student) / 1e6:.0f} of {size(everything) / 1e6:.0f} MB"


def test_the_repository_address_stands_in_one_place(root, project):
    """Everything else takes it from pyproject.toml: the notebooks when they are built, the README by a link to the folder."""
    address = project["urls"]["Repository"]
    for path in [
        *root.glob("*.md"),
        *root.glob("autograder/**/*.py"),
        *root.glob("solutions/**/*.py"),
        root / "Makefile",
    ]:
        assert address not in path.read_text(encoding="utf8"), path


def test_every_file_that_the_pages_link_to_is_there(root):
    for page in root.glob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf8")):
            assert (root / target).exists(), f"{page.name} links to {target}"


def test_the_readme_lists_every_lesson_with_its_exercises_and_points(root):
    from known import points

    text = (root / "README.md").read_text(encoding="utf8")
    rows = re.findall(r"^\| `(\d\d-[\w-]+)` \|.*\| (\d+) \| (\d+)(?:, and| \|)", text, re.MULTILINE)
    assert [row[0] for row in rows] == sorted(path.name for path in (root / "solutions").iterdir() if path.is_dir())
    for lesson, exercises, total in rows:
        worth = points(lesson)
        assert len(worth) == int(exercises)
        assert sum(worth.values()) == int(total)
