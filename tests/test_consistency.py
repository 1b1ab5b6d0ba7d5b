"""pyproject.toml, constraints.txt and environment.yml say the same; so do the notation table and the house."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version


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


def test_make_and_conda_install_the_same_extras(root):
    texts = [(root / name).read_text(encoding="utf8") for name in ("Makefile", "environment.yml")]
    assert len({re.search(r"\.\[([\w,]+)\]", text)[1] for text in texts}) == 1


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
    rows = re.findall(r"^\| `(\d\d-[\w-]+)` \|.*\| (\d+) \| (\d+), and", text, re.MULTILINE)
    assert [row[0] for row in rows] == sorted(path.name for path in (root / "solutions").iterdir() if path.is_dir())
    for lesson, exercises, total in rows:
        worth = points(lesson)
        assert len(worth) == int(exercises)
        assert sum(worth.values()) == int(total)
