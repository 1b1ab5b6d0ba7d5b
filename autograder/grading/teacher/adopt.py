"""``autograder adopt``: make an anonymous known answer from a student's answer."""

import ast
import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.content import notebook
from autograder.grading.course import Course
from autograder.grading.run.store import write_whole
from autograder.grading.teacher.answers import cells_of
from autograder.grading.teacher.why import StudentResult

_SHORTEST = 3  # letters of a name: shorter ones occur in ordinary words
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def adopt(
    course: Course,
    record: StudentResult,
    exercise: str,
    bank: Path | None = None,
    name: str | None = None,
    hint: str = "",
    right: bool = False,
) -> Path:
    """Write a case into the bank, and return its file.

    Raises LookupError if there is no such answer, ValueError if it cannot be anonymised or the name is taken.
    """
    student, assignment = record.status.student.id, record.class_status.assignment
    _require_no_variant(record, exercise)
    texts = [notebook.source(cell) for cell in cells_of(course, record.class_status.released, record.status.student.id)]
    definitions = _definitions(texts, exercise, frozenset(record.class_status.released.exercises))
    if not definitions:
        raise LookupError(f"{student} has no definition of {exercise} that can be read. Was the work graded?")
    member = record.status.student
    text = anonymous(
        definitions,
        [
            member.id,
            member.first_name,
            member.last_name,
            member.email.partition("@")[0],
            member.login,
        ],
    )
    name = name or f"adopted_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    if not _NAME.fullmatch(name):
        raise ValueError(f"Expected a name of lower-case letters, digits and underscores, but got {name!r}.")
    path = (bank or course.root / "bank") / assignment / exercise / ("right" if right else "wrong") / f"{name}.py"
    sentence = " ".join(hint.split()) or "Say in one sentence what happens, and where to look."
    content = f"{_docstring(sentence)}\n\n{text}\n"
    if path.exists() and path.read_text(encoding="utf8") != content:
        raise ValueError(f"{path} exists with other content. Choose another name with --name.")
    write_whole(path, content)
    return path


def _require_no_variant(record: StudentResult, exercise: str) -> None:
    if exercise in record.class_status.released.variants:
        raise ValueError(
            f"An answer to {exercise} has the numbers of {record.status.student.id}, and a case holds for everyone. Write it by "
            f"hand: draw the numbers in it with variants.numbers({exercise!r})."
        )


def _docstring(text: str) -> str:
    return '"""' + text.replace("\\", "\\\\").replace('"', "'") + '"""'


def assignment_with(course: Course, exercise: str) -> str:
    having = [
        name for name in course.gradable if (lesson := course.lessons.find(name)) and exercise in lesson.exercises
    ]
    if len(having) != 1:
        where = f"in {', '.join(having)}: choose with --assignment" if having else "in no lesson"
        raise LookupError(f"The exercise {exercise!r} is {where}.")
    return having[0]


def _definitions(texts: Iterable[str], exercise: str, exercises: frozenset[str]) -> list[ast.stmt]:
    """Return the student's definition of the exercise, preceded by the imports and the student's own helpers that it uses.

    Raises ValueError if the helpers call each other too deeply.
    """
    defined, imports = _top_level(texts)
    order: list[ast.stmt] = []

    def add(name: str) -> None:
        node = defined.get(name)
        if node is None or node in order:
            return
        needed = notebook.names_needed(ast.unparse(node))  # a local name of a function is no helper of the same name
        for used in ast.walk(node):
            if isinstance(used, ast.Name) and used.id in needed - {name} - exercises:
                add(used.id)
        order.append(node)

    try:
        add(exercise)
    except RecursionError:
        raise ValueError(f"{exercise} uses too many nested definitions: copy it by hand.") from None
    used = {node.id for definition in order for node in ast.walk(definition) if isinstance(node, ast.Name)}
    return [*(statement for node in imports for statement in _only(node, used)), *order] if order else []


def _top_level(texts: Iterable[str]) -> tuple[dict[str, ast.stmt], list[ast.Import | ast.ImportFrom]]:
    """Return the definitions in cells by name, the last one of each, and their imports."""
    defined: dict[str, ast.stmt] = {}
    imports: list[ast.Import | ast.ImportFrom] = []
    for text in texts:
        tree = notebook.syntax_tree(text)
        for node in tree.body if tree else ():
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                defined[node.name] = node
            elif isinstance(node, ast.Assign):
                defined |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.Import | ast.ImportFrom):
                imports.append(node)
    return defined, imports


def _only(node: ast.Import | ast.ImportFrom, used: set[str]) -> list[ast.stmt]:
    """Return an import with only the used names; nothing if none is used."""
    names = [alias for alias in node.names if (alias.asname or alias.name).partition(".")[0] in used]
    if not names:
        return []
    return [ast.Import(names) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, names, node.level)]


class _WithoutDocstrings(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) and body:
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = body[1:] or [ast.Pass()]
        return node


def anonymous(nodes: Sequence[ast.stmt], names: Iterable[str]) -> str:
    """Return code without comments and docstrings, and with the student's own names replaced.

    Raises ValueError if that is not possible.
    """
    try:
        tree = ast.fix_missing_locations(_WithoutDocstrings().visit(ast.Module([*nodes], [])))
        text = ast.unparse(tree)
    except RecursionError:
        raise ValueError("The answer is nested too deeply to be made anonymous: copy it by hand.") from None
    for word in sorted({part for name in names for part in (name, *name.split())}, key=len, reverse=True):
        if len(word) >= _SHORTEST:
            text = re.sub(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", "student", text, flags=re.IGNORECASE)
    try:
        ast.parse(text)
    except SyntaxError:
        raise ValueError("The answer cannot be made anonymous by itself: copy it by hand.") from None
    return text
