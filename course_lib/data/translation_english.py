"""The meaning of a sentence, and its English form: a small unambiguous grammar.

    sentence = clause "." | question "?" | clause conjunction clause ... "." | treaty "."
    clause   = subject verb object | subject "do not" verb object | subject "be" ["not"] adjective
    subject  = determiner [adjective] noun | pronoun        object = the same, with the pronoun's other form
    treaty   = "the agreement on the european economic area was signed in august 1992"

Every word carries a label, such as "0.s.n" for the noun of the subject of the first clause; French words refer to it.
"""

from dataclasses import dataclass

from course_lib.data.french import PRONOUNS, Adjective, Noun, Verb

Labelled = list[tuple[str, str]]  # word and label


@dataclass(frozen=True)
class NounPhrase:
    """A determiner, perhaps an adjective, and a noun."""

    determiner: str
    noun: Noun
    plural: bool
    adjective: Adjective | None = None

    def english(self, label: str) -> Labelled:
        """Return the words, "a" before a consonant and "an" before a vowel."""
        words = [(self.determiner, f"{label}.d")]
        if self.adjective is not None:
            words.append((self.adjective.english, f"{label}.a"))
        words.append((self.noun.plural() if self.plural else self.noun.english, f"{label}.n"))
        if self.determiner == "a" and words[1][0][0] in "aeiou":
            words[0] = ("an", f"{label}.d")
        return words


@dataclass(frozen=True)
class Pronoun:
    """I, you, he, she, we or they; and it, only as an object."""

    name: str

    def english(self, label: str) -> Labelled:
        """Return the word. The label of an object ends in o."""
        return [(PRONOUNS.get(self.name, self.name) if label.endswith("o") else self.name, f"{label}.n")]


@dataclass(frozen=True)
class Clause:
    """Somebody does something to somebody, or (without a verb) is something."""

    subject: NounPhrase | Pronoun
    verb: Verb | None
    object: NounPhrase | Pronoun | None
    adjective: Adjective | None
    negated: bool
    question: bool

    def english(self, label: str) -> Labelled:
        """Return the words without the full stop."""
        subject = self.subject.english(f"{label}.s")
        no = [("not", f"{label}.not")] if self.negated else []
        if self.verb is None or self.object is None:
            assert self.adjective is not None, "a clause has a verb and an object, or an adjective"
            be, rest = [(self._be(), f"{label}.v")], [*no, (self.adjective.english, f"{label}.a")]
            return [*be, *subject, *rest] if self.question else [*subject, *be, *rest]
        particle = [(self.verb.particle, f"{label}.p")] if self.verb.particle else []
        rest = [*particle, *self.object.english(f"{label}.o")]
        do = [("does" if self.of_one else "do", f"{label}.do")]
        plain = [(self.verb.english, f"{label}.v")]
        if self.question:
            return [*do, *subject, *no, *plain, *rest]
        if self.negated:
            return [*subject, *do, *no, *plain, *rest]
        return [*subject, (self.verb.third() if self.of_one else self.verb.english, f"{label}.v"), *rest]

    @property
    def of_one(self) -> bool:
        """True if the verb is in the third person singular."""
        subject = self.subject
        return subject.name in ("he", "she") if isinstance(subject, Pronoun) else not subject.plural

    def _be(self) -> str:
        if isinstance(self.subject, Pronoun) and self.subject.name == "I":
            return "am"
        return "is" if self.of_one else "are"

    def pairs(self) -> list[tuple[str, str]]:
        """Return the combinations of this clause: adjective and noun, verb and the noun of its object."""
        phrases = [phrase for phrase in (self.subject, self.object) if isinstance(phrase, NounPhrase)]
        found = [(phrase.adjective.english, phrase.noun.english) for phrase in phrases if phrase.adjective]
        if isinstance(self.subject, NounPhrase) and self.adjective:
            found.append((self.adjective.english, self.subject.noun.english))
        if isinstance(self.object, NounPhrase) and self.verb:
            found.append((self.verb.english, self.object.noun.english))
        return found


@dataclass(frozen=True)
class Treaty:
    """A treaty about a body of states was signed: entries of TREATIES, REGIONS, FIELDS, BODIES, MONTHS and YEARS."""

    treaty: tuple[str, str, str]
    region: tuple[str, str]
    field: tuple[str, str]
    body: tuple[str, str, str]
    month: tuple[str, str]
    year: str
    negated: bool

    def english(self, label: str) -> Labelled:
        """Return the words without the full stop."""
        first = [("the", "d"), (self.treaty[0], "n"), ("on", "on"), ("the", "b.d"), (self.region[0], "b.r")]
        first += [(self.field[0], "b.f"), (self.body[0], "b.n"), ("was", "was")]
        first += [("not", "not")] if self.negated else []
        first += [("signed", "v"), ("in", "in"), (self.month[0], "m"), (self.year, "y")]
        return [(word, f"{label}.{part}") for word, part in first]

    def pairs(self) -> list[tuple[str, str]]:
        """Return the combination by which it is held out: the kind of body."""
        return [(self.field[0], self.body[0])]


@dataclass(frozen=True)
class Meaning:
    """Clauses, joined by conjunctions: one fewer than clauses."""

    clauses: tuple[Clause | Treaty, ...]
    conjunctions: tuple[str, ...] = ()

    @property
    def question(self) -> bool:
        """True if this is a question. Questions have one clause."""
        first = self.clauses[0]
        return isinstance(first, Clause) and first.question

    def english(self) -> Labelled:
        """Return all words with their labels, including "." or "?"."""
        words: Labelled = []
        for number, clause in enumerate(self.clauses):
            words += clause.english(str(number))
            if number < len(self.conjunctions):
                words.append((self.conjunctions[number], f"{number}.c"))
        return [*words, ("?" if self.question else ".", "end")]

    def pairs(self) -> list[tuple[str, str]]:
        """Return the combinations of all clauses."""
        return [pair for clause in self.clauses for pair in clause.pairs()]
