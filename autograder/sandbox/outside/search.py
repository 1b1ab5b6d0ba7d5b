"""Outside: look through the source of an exercise for what it may not use. A worker would be its own judge."""

from collections.abc import Callable, Container, Mapping

from autograder.content.lesson import Lesson
from autograder.runtime.blocked import forbidden, libraries
from autograder.runtime.blocked.mentions import reached
from autograder.runtime.failure import CheckFailure
from autograder.sandbox.outside.imported import imported

#: Among the sources: the imports at the top level of cells. The empty name stands for all imports.
IMPORTS = "import"


def found_in(
    exercise: str,
    lesson: Lesson,
    sources: Mapping[str, str],
    data: Container[str],
    file: Callable[[str], bytes | None],
) -> CheckFailure | None:
    """Return a failure if an exercise, or what it uses of the notebook, mentions what it may not use.

    ``sources`` maps each name to the source text that defines it. The names in ``data`` are plain data, whatever made them.
    """
    forbid, may_use = lesson.forbidden_in(exercise), lesson.libraries_in(exercise)
    try:
        texts = reached(exercise, lambda each: "" if each in data else sources.get(each, ""), lesson.exercises)
        names, bound = imported(sources[""], forbid), libraries.bound(sources.get(IMPORTS, ""))
        # What the notebook defines anew is the student's own.
        meant = {each: what for each, what in bound.items() if each not in sources}
        return forbidden.first_found(
            texts,
            lambda text: libraries.mention(text, lambda each: meant.get(each, ""), may_use, file),
            lambda text: forbidden.mentions(text, names, forbid),
        )
    except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # a forbidden call still raises at run time
