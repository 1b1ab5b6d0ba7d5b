"""Students' answers to an exercise, and groups of answers that differ only in names, comments and layout."""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.content import notebook
from autograder.content.notebook import defined
from autograder.grading.course import Course
from autograder.grading.gradebook.marking import ngrams, share_most
from autograder.grading.gradebook.queries import autograded_notebook
from autograder.grading.submission.released import Released
from autograder.runtime.text import source_lines

#: Two answers are alike if they share this part of their character n-grams.
_ALIKE = 0.8
_LONGEST = 20_000


@dataclass(frozen=True)
class Answer:
    """One student's code for one exercise, without the rest of the notebook."""

    student: str
    exercise: str
    text: str


def cells_of(course: Course, released: Released, student: str) -> list[notebook.Cell]:
    """Return the cells of a student's autograded notebook; empty if none can be read."""
    try:
        cells = autograded_notebook(course, released, student)["cells"]
        return [cell for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def answer_in(cells: Iterable[notebook.Cell], exercise: str) -> str:
    """Return the last definition of an exercise in the cells, as written; "" if there is none."""
    answer = ""
    for cell in cells:
        text = notebook.source(cell)
        if exercise in text and len(text) <= _LONGEST and exercise in defined(text):
            answer = _definition(text, exercise) or answer
    return answer


def _definition(text: str, exercise: str) -> str:
    tree, plain = notebook.syntax_tree(text), notebook.without_magics(text)
    for node in reversed(tree.body if tree else ()):
        named = getattr(node, "name", None) == exercise
        if named and isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "\n".join(source_lines(plain)[first - 1 : node.end_lineno])
    return text.strip()


class _Plain(ast.NodeTransformer):
    """Renames variables in their order of appearance, and drops docstrings and annotations."""

    def __init__(self, keep: frozenset[str]):
        self.names: dict[str, str] = {}
        self.keep = keep

    def _name(self, name: str) -> str:
        return name if name in self.keep else self.names.setdefault(name, f"v{len(self.names)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self._name(node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.copy_location(ast.arg(self._name(node.arg), None), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._body(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._body(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def _body(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
            node.body = node.body[1:]
        return self.generic_visit(node)


def normalised_source(text: str) -> str:
    """Return code without comments, docstrings, annotations, layout and variable names; unchanged if it is not Python."""
    try:
        tree = ast.parse(text)
        assigned = {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        parameters = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return ast.unparse(_Plain(frozenset(names - assigned - parameters)).visit(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return " ".join(text.split())


@dataclass(frozen=True)
class Group:
    """Answers to one exercise that fail the same checks, are similar, and have no named mistake."""

    exercise: str
    failed: tuple[str, ...]
    answers: tuple[Answer, ...]

    @property
    def students(self) -> list[str]:
        return [answer.student for answer in self.answers]


def groups(answers: Mapping[tuple[str, tuple[str, ...]], Sequence[Answer]]) -> list[Group]:
    """Return groups of similar answers, the largest first, from answers by (exercise, failed checks)."""
    all_groups: list[Group] = []
    for (exercise, failed), some in answers.items():
        clusters: list[tuple[Counter[str], list[Answer]]] = []
        for answer in some:
            sequences = ngrams(normalised_source(answer.text))
            for cluster_sequences, members in clusters:
                if share_most(sequences, cluster_sequences, _ALIKE):
                    members.append(answer)
                    break
            else:
                clusters.append((sequences, [answer]))
        all_groups += [Group(exercise, failed, tuple(members)) for _, members in clusters]
    return sorted(all_groups, key=lambda group: (-len(group.answers), group.exercise))
