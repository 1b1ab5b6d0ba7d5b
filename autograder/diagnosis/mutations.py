"""Wrong answers made from right ones by one small edit: a term left out, another axis, another argument.

No bank holds every mistake. Where no known one gives a student's numbers, one of these may, and the edit then describes the
mistake. All right answers to an exercise are edited, in all their styles.
"""

import ast
import itertools
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.content.known_answers import Case, cases_of
from autograder.content.lesson import Lesson
from autograder.diagnosis.edits import Edit, called_name, edits

#: Returns those of these names that occur in the student's code; see :mod:`autograder.runtime.blocked.source`.
Uses = Callable[[Sequence[str]], Sequence[str]]
#: Limits on the mutants, each of which costs a call of the exercise: their number, and seconds of processor time.
_MOST, _SECONDS = 1500, 3.0
#: Characters of code that a reader takes in at a glance.
_LONGEST = 40


@dataclass(frozen=True)
class Mutant(Case):
    """A right answer with one small edit. ``known_names``: the names in it that students can be expected to know."""

    edit: Edit | None = None
    known_names: frozenset[str] = frozenset()

    def findable(self, uses: Uses) -> bool:
        """Return whether a student's code contains what the edit is about: the call whose arguments it changes, or the number.

        Numbers such as 0 and 1 are in nearly any code: they are no sign of a call.
        """
        if self.edit is None:
            return True
        names = _called_names(self.edit.excerpt, self.known_names)
        if _SWAP in self.edit.kind:  # either of the two functions
            names = _called_names(self.edit.excerpt) + _called_names(self.edit.new)
        elif self.edit.kind in _OF_COMPARED:
            names = tuple(
                name for node in ast.walk(self.edit.excerpt) for name in _called_names(node, self.known_names)
            )
        if names and uses(names):
            return True
        if _is_number(self.edit.new):
            return _has_number(self.edit, uses) and not (names and _is_small(self.edit.new))
        return not (names and (self.edit.kind in (*_OF_ARGUMENTS, *_OF_COMPARED) or _SWAP in self.edit.kind))

    def explain(self, uses: Uses) -> tuple[str, str]:
        """Return the name and the hint of the edit. Names that a student cannot know are replaced by dots in the code shown.

        The sentence is general if the specific one would name a function or a number that is not in the student's code.
        """
        if self.edit is None:
            raise TypeError("A mutant has an edit.")
        piece = _excerpt(self.edit.excerpt, self.known_names)
        name = f"{self.edit.kind}: {piece}" if any(letter.isalpha() for letter in piece) else self.edit.kind
        clear = set(_names(self.edit.new)) <= self.known_names | set(_names(self.edit.old)) and self._in_code(uses)
        sentence = self.edit.sentence if clear else self.edit.kind
        exactly = "Your result is exactly what the correct solution gives with one change"
        if name == self.edit.kind:  # no place can be shown
            return name, f"{exactly}: {sentence}. Compare your lines with the equation, one by one."
        return name, f"{exactly}: at `{piece}`, {sentence}. Check that step."

    def _in_code(self, uses: Uses) -> bool:
        """Return whether students know everything that the sentence names, or it occurs in this student's code."""
        if self.edit is None or (_is_number(self.edit.new) and not _has_number(self.edit, uses)):
            return False
        named = {name for node in ast.walk(self.edit.old) for name in _names(node)}
        strange = {word for word in re.findall(r"\w+", self.edit.sentence) if word in named} - self.known_names
        return all(uses((word, f".{word}")) for word in strange)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_small(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) <= _SMALL


#: The largest number that may be in any code: axes and steps.
_SMALL = 3
#: Kinds of edits that make sense only to whoever writes this call.
_OF_ARGUMENTS = ("an argument not passed on", "an argument the other way round", "arguments exchanged")
#: A kind of edits that makes sense only to whoever writes what is compared.
_OF_COMPARED = ("another comparison",)
#: What stands between the names of two functions of which one takes the other's place.
_SWAP = " in the place of "


def _has_number(edit: Edit, uses: Uses) -> bool:
    return bool(uses((ast.unparse(edit.new),)))


def _called_names(node: ast.AST, known_names: frozenset[str] | None = None) -> tuple[str, ...]:
    """Return the name of the called function, bare and as an attribute; nothing if it is not in ``known_names``."""
    name = called_name(node) if isinstance(node, ast.Call) else ""
    return (name, f".{name}") if name and (known_names is None or name in known_names) else ()


def mutants(lesson: Lesson, exercise: str) -> Iterator[Mutant]:
    """Yield right answers to the exercise with one small edit each."""
    cases = sorted((case for case in cases_of(lesson, exercise) if case.right), key=str)
    cases = [case for case in cases if _is_safe(case.text)]
    trees = [ast.parse(case.text) for case in cases]
    known_names = _shared_names(trees)
    seen_texts, start = set[str](), time.process_time()
    for number, edit in edits(trees):
        text = apply_edit(cases[number].text, edit)
        if text not in seen_texts:
            seen_texts.add(text)
            yield Mutant(lesson.assignment, exercise, False, edit.kind, text, edit=edit, known_names=known_names)
        if len(seen_texts) >= _MOST or time.process_time() - start > _SECONDS:
            return


def apply_edit(text: str, edit: Edit) -> str:
    """Replace the old code in the text by the new."""
    lines = text.encode().splitlines(keepends=True)  # the parser counts bytes
    starts, old = [0, *itertools.accumulate(map(len, lines))], edit.old
    start = starts[old.lineno - 1] + old.col_offset
    end = starts[(old.end_lineno or old.lineno) - 1] + (old.end_col_offset or 0)
    data = text.encode()
    return (data[:start] + _as_text(edit.new).encode() + data[end:]).decode()


def _as_text(new: ast.AST) -> str:
    """Return the text of new code on one line."""
    if isinstance(new, ast.Module):
        return "; ".join(map(ast.unparse, new.body))
    return ast.unparse(new) if isinstance(new, ast.stmt) else f"({ast.unparse(new)})"


#: Names in an answer that make edits unsafe: without "meta" it would build a model of gigabytes; the others can read memory at
#: any address.
_UNSAFE = ("meta", "embedding_bag", "as_strided", "ctypes", "data_ptr")


def _is_safe(text: str) -> bool:
    """Return whether no edit of this answer can loop forever, exhaust the memory, or read memory that is not its own."""
    loops = any(isinstance(node, ast.While) for node in ast.walk(ast.parse(text)))
    return not loops and not any(word in text for word in _UNSAFE)


def _shared_names(trees: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that several right answers share: those of arguments, of submodules and of PyTorch.

    Any other name is the author's choice, and means nothing to a student.
    """
    counts = Counter(name for tree in trees for name in {name for node in ast.walk(tree) for name in _names(node)})
    return frozenset(name for name, count in counts.items() if count > 1) | {"self"}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _excerpt(node: ast.AST, known_names: frozenset[str]) -> str:
    """Shorten code: deeply nested parts, and names that students do not know, become dots."""
    for depth in (3, 2, 1):
        text = ast.unparse(_Short(known_names, depth).visit(_copy_tree(node))).replace(_DOTS, "…")
        if len(text) <= _LONGEST and "\n" not in text:
            return text
    return "…"


def _copy_tree(tree: Any) -> Any:
    """Copy a tree by its fields, without attributes that other libraries attach to its nodes.

    `executing`, with which IPython shows a traceback, attaches each node's parent, even to the one ``Load()`` shared by all
    trees.
    """
    if isinstance(tree, list):
        return [_copy_tree(item) for item in tree]
    if not isinstance(tree, ast.AST):
        return tree
    return ast.copy_location(type(tree)(**{name: _copy_tree(value) for name, value in ast.iter_fields(tree)}), tree)


_DOTS = "dots_in_the_place_of_code"


class _Short(ast.NodeTransformer):
    def __init__(self, known_names: frozenset[str], depth: int):
        self.known_names, self.depth = known_names, depth

    def generic_visit(self, node: ast.AST) -> ast.AST:
        inner = isinstance(node, ast.expr) and not isinstance(node, ast.Name | ast.Constant | ast.Attribute)
        if inner and not self.depth:
            return ast.Name(_DOTS, ast.Load())
        self.depth -= inner
        node = super().generic_visit(node)
        self.depth += inner
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        strange = isinstance(node.value, str) and node.value not in self.known_names
        return ast.Name(_DOTS, ast.Load()) if strange else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node if node.id in self.known_names else ast.Name(_DOTS, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr not in self.known_names:
            return ast.Name(_DOTS, ast.Load())
        return ast.Attribute(self.visit(node.value), node.attr, node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = self.visit(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else node.func
        if not self.depth:
            return ast.Call(function, [ast.Name(_DOTS, ast.Load())], [])
        self.depth -= 1
        args = [self.visit(argument) for argument in node.args]
        keywords = [ast.keyword(keyword.arg, self.visit(keyword.value)) for keyword in node.keywords]
        self.depth += 1
        return ast.Call(function, args, keywords)
