"""README, CONTRIBUTING and docs/ name paths, targets and commands that exist."""

import re

import pytest
from only import files_for

from autograder.cli.main import autograder

#: Folders in which a path may begin: a page about the sandbox writes `inside/worker.py`.
BASES = (".", "autograder", "autograder/grading", "autograder/runtime", "autograder/sandbox", "tests/unit")
#: Made by the commands in the folder of a course, or on a machine.
MADE = re.compile(
    r"(site|work|demo|bank|\.autograder|answers|grading/(submitted|requests|export|feedback|similar))/|grading/((roster|grades)\.csv|gradebook\.db)"
)
ELSEWHERE = (
    "grading/seed",
    "answers/names.txt",
    "site/index.html",
    "/etc/jupyter/nbgrader_config.py",
    "/marking/01-attention",
    "N/A",
)


def pages(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


def named(root, pattern):
    """Return what the pages name, each with the pages."""
    return sorted({(path.name, found) for path in pages(root) for found in re.findall(pattern, path.read_text("utf8"))})


def test_every_path_in_the_documents_exists(root):
    found = named(root, r"`([\w./-]+/[\w./-]*)`")
    assert len(found) > 80
    made = [each for each in found if MADE.fullmatch(each[1]) or each[1] in ELSEWHERE]
    missing = [each for each in found if not any((root / base / each[1]).exists() for base in BASES)]
    assert [each for each in missing if each not in made] == []


def test_every_module_in_the_documents_exists(root):
    """A name without its folder, as `sandbox.py` where the text says which package it means."""
    modules = {
        path.name for base in ("autograder", "docs", "tests", "solutions") for path in (root / base).rglob("*.py")
    }
    found = named(root, r"`(\w+\.py)`")
    assert len(found) > 10
    assert [each for each in found if each[1] not in modules and not (root / each[1]).exists()] == []


def test_each_place_in_the_threat_model_is_one_file(root):
    text = (root / "docs" / "threat-model.md").read_text("utf8")
    places = [place for row in re.findall(r"(?m)^\|.*\| (`[^|]*) \|$", text) for place in re.findall(r"`([^`]+)`", row)]
    assert len(places) > 30
    assert [place for place in places if "/" not in place] == []


def test_every_target_in_the_documents_exists(root):
    targets = set(re.findall(r"^([\w-]+):", (root / "Makefile").read_text("utf8"), re.MULTILINE))
    found = named(root, r"(?m)(?:`|^ *(?:\$ )?)make ([\w-]+)")
    assert len(found) > 15
    assert [each for each in found if each[1] not in targets] == []


def test_every_name_of_tests_in_the_documents_has_some(root):
    found = {name for _, name in named(root, r"make test ONLY=([\w./-]+\w)")}
    assert len(found) > 5
    assert all(files_for(name) for name in found)


def test_every_command_in_the_documents_exists(root):
    found = named(root, r"(?m)(?:`|^ *(?:\$ )?)autograder ([a-z][\w-]*)")
    assert len(found) > 40
    assert [each for each in found if autograder.get_command(None, each[1]) is None] == []


def options_in(text):
    """Return (command, option) for each option in code: the command that stands before it in the same code, or none."""
    code = re.findall(r"`([^`\n]+)`", text)
    code += [
        line.partition("#")[0] for block in re.findall(r"(?ms)^```\w*\n(.*?)^```", text) for line in block.splitlines()
    ]
    for span in code:
        command = re.search(r"(?:^|\s)autograder ([a-z][\w-]*)", span)
        if command or span.startswith("--"):  # else it is of another program
            own = span[command.start() :] if command else span
            yield from ((command and command[1], option) for option in re.findall(r"(?<!\S)--[a-z][\w-]*", own))


def test_every_option_in_the_documents_exists(root):
    """Of its command, or of any where the text names an option alone."""
    commands = {name: autograder.get_command(None, name) for name in autograder.list_commands(None)}
    options = {name: {each for one in command.params for each in one.opts} for name, command in commands.items()}
    options["lab"].add("--no-browser")  # JupyterLab's, which the command hands on
    anywhere = set().union(*options.values())
    found = {(path.name, *each) for path in pages(root) for each in options_in(path.read_text("utf8"))}
    assert len(found) > 30
    wrong = [each for each in found if each[2] not in options.get(each[1], anywhere)]
    assert wrong == []


def test_an_option_of_no_command_would_be_found():
    assert [*options_in("A GPU (`--gpu`), `pip freeze --all`, `autograder why s01 --quick`")] == [
        (None, "--gpu"),
        ("why", "--quick"),
    ]


@pytest.mark.parametrize("path", ["tests/attacks/cases", "grading/people/"])
def test_a_path_of_an_earlier_tree_would_be_found(root, path):
    assert not any((root / base / path).exists() for base in BASES)
    assert not MADE.fullmatch(path)
