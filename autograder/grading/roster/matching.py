"""Find the member of the class that a platform, or a student's own file, names."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations, product

from autograder.grading.roster.names import folded, joined, spellings, words
from autograder.grading.roster.roster import Roster, Student

#: The words of a name that are compared; each may have three spellings.
_MOST_WORDS = 6


@dataclass(frozen=True)
class Who:
    """How a hand-in or a row of a sheet names its student: ``ids`` are ids, logins or e-mail addresses, ``names`` names."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " / ".join(dict.fromkeys(filter(None, (*self.names, *self.ids)))) or "nobody"


class Directory:
    """The class by everything that identifies its members."""

    def __init__(self, roster: Roster):
        self.students = {student.id: student for student in roster}
        self._ids: dict[str, set[str]] = {}
        self._names: dict[tuple[str, ...] | str, set[str]] = {}
        for student in roster:
            for key in _ids(student):
                self._ids.setdefault(key, set()).add(student.id)
            for name in _names(student):
                self._names.setdefault(name, set()).add(student.id)

    def learn(self, key: str, student: str) -> None:
        """Add an identifier that a platform uses for this student, such as Moodle's number of a participant."""
        self._ids.setdefault(folded(key), set()).add(student)

    def find(self, who: Who) -> Student | None:
        """Return the only member of the class that fits, by id first and by name otherwise; None if there is none."""
        found = self.candidates(who)
        return self.students[next(iter(found))] if len(found) == 1 else None

    def candidates(self, who: Who) -> set[str]:
        """Return the ids of all who fit: an id decides, and a name narrows down only what is ambiguous."""
        by_id = self._of(folded(key) for key in who.ids)
        if len(by_id) == 1:
            return by_id
        by_name = set().union(*(self._named(name) for name in who.names))
        return (by_id & by_name) or by_id or by_name

    def _of(self, keys: Iterable[str]) -> set[str]:
        for key in keys:
            if key in self._ids:
                return self._ids[key]
        return set()

    def _named(self, name: str) -> set[str]:
        for form in (words(name), *(words(text) for text in spellings(name)), *map(joined, spellings(name))):
            if form in self._names:
                return self._names[form]
        return set()


def _ids(student: Student) -> set[str]:
    own = {student.id, student.login, student.email}
    return {folded(text) for text in own if text}


def _names(student: Student) -> set[tuple[str, ...] | str]:
    """Return the student's name as a set of words, and in one piece in every order of its two parts."""
    parts = [part for part in (student.first_name, student.last_name) if part]
    found: set[tuple[str, ...] | str] = set()
    for order in permutations(parts):
        each = [sorted(spellings(word)) for word in " ".join(order).split()[:_MOST_WORDS]]
        for spelt in product(*each):  # people write one of their umlauts so and the other so
            found |= {words(" ".join(spelt)), joined("".join(spelt))}
    return found - {(), ""}
