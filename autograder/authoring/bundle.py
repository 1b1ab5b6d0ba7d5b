"""``autograder bundle``: the students' files as a zip archive and a git branch, without any answer.

They are the releases, ``course_lib``, and the package with which a notebook checks itself. Known answers and references are
packed. Left out are solutions, mark schemes, right answers in other styles, sample classes, tests, and ``grading/``.
"""

import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.authoring.leaks import answer_runs, answers_in, leaked_lines
from autograder.authoring.packing import split_packed
from autograder.grading.course import Course
from autograder.grading.gradebook.marking import MARK_SCHEME

#: Files at the root that students need.
_FILES = ("pyproject.toml", "constraints.txt", "LICENSE")
#: The ways to install it that the students' section of README.md names, where a course has them.
_RECIPES = ("Makefile", "environment.yml", "Dockerfile", ".dockerignore", ".devcontainer/*", "binder/*")
_LEFT_OUT = re.compile(
    r"(^|/)(__pycache__|\.ipynb_checkpoints|answers/right)(/|$)|\.pyc$|(^|/)(sample_class\.py|names\.txt)$"
)
#: Shorter lines of a mark scheme may occur anywhere.
_SHORTEST = 30

_README = """\
# {title}

Python 3.11 or later. In this folder:

```
python3 -m venv .venv
.venv/bin/python -m pip install --constraint constraints.txt '.[lab]'
.venv/bin/autograder lab
```

It copies the notebooks to `work/`, so that an update of this folder never touches what you wrote. On Windows the programs
are in `.venv\\Scripts`.

{student}
"""


def bundle(course: Course, lessons: Sequence[str], output: Path, branch: str | None) -> list[str]:
    """Write the archive and, if one is named, the branch. Returns lines that describe the result.

    Raises LookupError if a release is missing, ValueError if a file would give an answer away.
    """
    assignments = list(lessons) or [path.name for path in sorted(course.release.iterdir()) if path.is_dir()]
    files = contents(course, assignments)
    if leaked := leaks(course, files):
        raise ValueError(f"The bundle would give answers away: {'; '.join(leaked[:5])}")
    output.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(f"{output.stem}/{name}", (2026, 1, 1, 0, 0, 0)), data)
    lines = [f"bundle: {output}, {len(files)} files, assignments {', '.join(assignments)}"]
    return lines if branch is None else [*lines, _on_branch(course.root, files, branch)]


def contents(course: Course, assignments: Sequence[str]) -> dict[str, bytes]:
    """Return the files that students get, by path."""
    files: dict[str, bytes] = {}
    for assignment in assignments:
        folder = course.release / assignment
        if not list(folder.glob("*.ipynb")):
            course.require(assignment)
            raise LookupError(f"There is no released notebook in {folder}. Build it: autograder build {assignment}")
        files |= {f"assignments/{name}": data for name, data in _below(course.release, folder)}
    if missing := [name for name in (*_FILES, "README.md") if not (course.root / name).is_file()]:
        raise LookupError(f"{course.root} lacks {', '.join(missing)}. Make the bundle in a checkout of the course.")
    for name in _FILES:
        files[name] = (course.root / name).read_bytes()
    section = _student_section(course)
    for pattern in (*_RECIPES, *re.findall(r"!\[[^]]*\]\(([\w./-]+)\)", section)):
        files |= {
            path.relative_to(course.root).as_posix(): path.read_bytes()
            for path in course.root.glob(pattern)
            if path.is_file()
        }
    for package in ("autograder", "course_lib"):
        for name, data in _below(course.root, course.root / package):
            if not _LEFT_OUT.search(name):
                files[name] = data
    unpacked, packs = split_packed(files, lambda data: data.decode("utf8"))
    files = unpacked | packs
    files["README.md"] = _readme(course).encode()
    return dict(sorted(files.items()))


def _below(root: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not _LEFT_OUT.search(name):
            yield name, path.read_bytes()


def _readme(course: Course) -> str:
    title = (course.root / "README.md").read_text(encoding="utf8").partition("\n")[0].removeprefix("# ")
    return _README.format(title=title, student=_student_section(course))


def _student_section(course: Course) -> str:
    text = (course.root / "README.md").read_text(encoding="utf8")
    section = re.search(r"## For a student\n(.*?)(?=\n## )", text, re.DOTALL)
    return section[0] if section else ""


def leaks(course: Course, files: Mapping[str, bytes]) -> list[str]:
    """Find answers in the files: lines of mark schemes, lines of solutions in the releases, runs of right answers anywhere."""
    problems = []
    schemes = {line for source in course.sources() for line in scheme_lines(source.read_text(encoding="utf8"))}
    texts = {name: _text(data) for name, data in files.items()}
    for name, text in texts.items():
        problems += [f"{name} holds a line of a mark scheme: {line[:60]!r}" for line in schemes if line in text]
        if "### BEGIN SOLUTION" in text and name.startswith("assignments/"):
            problems.append(f"{name} holds a region of a solution")
    for assignment in course.assignments:
        try:
            solution = course.solution_notebook(assignment).read_text(encoding="utf8")
        except LookupError:
            continue
        for name, text in texts.items():
            if name.startswith(f"assignments/{assignment}/"):
                problems += [f"{name} holds a line of the solution: {line!r}" for line in leaked_lines(solution, text)]
    secret = answer_runs(course)
    for name, data in files.items():
        problems += [
            f"{name} holds lines of an answer to {exercise}: {line!r}"
            for exercise, line in answers_in(secret, name, data)
        ]
    return problems


def scheme_lines(source: str) -> list[str]:
    """Return the lines of the mark schemes in a lesson's source."""
    lines = (line.strip() for scheme in MARK_SCHEME.findall(source) for line in scheme.splitlines())
    return [line for line in lines if len(line) >= _SHORTEST]


def _text(data: bytes) -> str:
    try:
        return data.decode("utf8")
    except UnicodeDecodeError:
        return ""


def _on_branch(root: Path, files: Mapping[str, bytes], branch: str) -> str:
    """Commit the files as the whole content of a branch, without touching the working tree. Returns a description."""

    def git(*arguments: str, **more: str) -> str:
        run = subprocess.run(
            ["git", *arguments], cwd=root, env={**os.environ, **more}, capture_output=True, text=True, encoding="utf8"
        )
        if run.returncode:
            raise ValueError(f"git {arguments[0]}: {run.stderr.strip()}")
        return run.stdout.strip()

    folder = git("rev-parse", "--absolute-git-dir")
    with tempfile.TemporaryDirectory() as place:
        for name, data in files.items():
            path = Path(place, "tree", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        git_environment = {
            "GIT_INDEX_FILE": str(Path(place, "index")),
            "GIT_DIR": folder,
            "GIT_WORK_TREE": str(Path(place, "tree")),
        }
        git("add", "--all", "--force", "--", str(Path(place, "tree")), **git_environment)
        tree = git("write-tree", **git_environment)
    reference = f"refs/heads/{branch}"
    run_of_revision = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", reference], cwd=root, capture_output=True, text=True
    )
    parent = run_of_revision.stdout.strip()
    if parent and git("rev-parse", f"{parent}^{{tree}}") == tree:
        return f"bundle: the branch {branch} holds this already"
    if git("branch", "--show-current") == branch:
        raise ValueError(f"The branch {branch} is checked out. Go to another one first.")
    commit = git("commit-tree", tree, "-m", "What students get", *(("-p", parent) if parent else ()))
    git("update-ref", reference, commit, *((parent,) if parent else ()))
    return f"bundle: the branch {branch} is at {commit[:12]}; hand it out with: git push REMOTE {branch}:main"
