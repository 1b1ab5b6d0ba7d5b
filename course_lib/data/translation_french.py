"""All French translations of a meaning, their probabilities, and the alignment of their words with the English ones.

Choices that English leaves open are made independently, with the probabilities of `french`: between several words, tu or vous,
and the gender of I, you, they and it. Dependent forms then agree.

Alignments are sets of sure and of possible links, as in Och and Ney (2003): a link is sure where one word translates another.
If one language needs two words for one of the other (ne pas, parce que, beaucoup de, a été; look for), at most one of the links
is sure; the others are possible. Links to words that determine a form, as a noun determines its article, are possible too.
Every sure link counts as possible.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from course_lib.data import french
from course_lib.data.translation_english import Clause, Meaning, NounPhrase, Pronoun, Treaty

CONJUNCTIONS = {"and": ("et",), "but": ("mais",), "because": ("parce", "que")}

#: For each pronoun as a subject: (word, person, gender, plural) and its probability.
SUBJECTS = {
    "I": ((("je", 0, "m", False), 0.6), (("je", 0, "f", False), 0.4)),
    "you": (
        (("tu", 1, "m", False), 0.4),
        (("tu", 1, "f", False), 0.3),
        (("vous", 4, "m", False), 0.2),
        (("vous", 4, "f", False), 0.1),
    ),
    "he": ((("il", 2, "m", False), 1.0),),
    "she": ((("elle", 2, "f", False), 1.0),),
    "we": ((("nous", 3, "m", True), 0.7), (("nous", 3, "f", True), 0.3)),
    "they": ((("ils", 5, "m", True), 0.7), (("elles", 5, "f", True), 0.3)),
    "it": ((("le", 2, "m", False), 0.6), (("la", 2, "f", False), 0.4)),
}
#: Pronouns as objects. Others depend on the choice in SUBJECTS: "it" is le or la, you te or vous.
OBJECTS = {"I": "me", "he": "le", "she": "la", "we": "nous", "they": "les"}

Choice = Mapping[str, Any]


@dataclass(frozen=True)
class Word:
    """A French word, with the labels of the English words that it translates, and of others that it may be aligned to."""

    text: str
    sure: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def choices(meaning: Meaning) -> Iterator[tuple[float, Choice]]:
    """Yield every combination of the choices that English leaves open, with its probability."""
    slots = open_slots(meaning)
    for picked in product(*slots.values()):
        yield prod(chance for _, chance in picked), dict(zip(slots, (value for value, _ in picked), strict=True))


def open_slots(meaning: Meaning) -> dict[str, tuple[tuple[Any, float], ...]]:
    """Return the open choices by label, each with its possible values and their probabilities."""
    slots: dict[str, tuple[tuple[Any, float], ...]] = {}
    for number, clause in enumerate(meaning.clauses):
        if isinstance(clause, Treaty):
            continue
        for name, part in (("s", clause.subject), ("o", clause.object)):
            if isinstance(part, Pronoun):
                slots[part.name] = SUBJECTS[part.name]  # the same person throughout the sentence
            elif part is not None:
                slots[f"{number}.{name}.n"] = tuple(((word, gender), p) for word, gender, p in part.noun.french)
                if part.adjective is not None:
                    slots[f"{number}.{name}.a"] = part.adjective.french
        if clause.verb is not None:
            slots[f"{number}.v"] = clause.verb.french
        if clause.adjective is not None:
            slots[f"{number}.a"] = clause.adjective.french
    return slots


def said(meaning: Meaning, choice: Choice) -> list[Word]:
    """Return the French words for one choice."""
    words: list[Word] = []
    for number, clause in enumerate(meaning.clauses):
        words += _treaty(clause, str(number)) if isinstance(clause, Treaty) else _clause(clause, str(number), choice)
        if number < len(meaning.conjunctions):
            first, *rest = CONJUNCTIONS[meaning.conjunctions[number]]
            words += [Word(first, (f"{number}.c",)), *(Word(word, (), (f"{number}.c",)) for word in rest)]
    words.append(Word("?" if meaning.question else ".", ("end",)))
    return _elided(words)


def _elided(words: list[Word]) -> list[Word]:
    """Elide le, ne, que and so on before a vowel."""
    following = [*(word.text for word in words[1:]), "."]
    return [
        Word(french.ELIDED[word.text], word.sure, word.possible)
        if word.text in french.ELIDED and french.before_a_vowel(after)
        else word
        for word, after in zip(words, following, strict=True)
    ]


def _clause(clause: Clause, label: str, choice: Choice) -> list[Word]:
    subject, gender, plural, person = _subject(clause, label, choice)
    infinitive = choice[f"{label}.v"] if clause.verb is not None else "être"
    about = (f"{label}.p", f"{label}.do", f"{label}.s.n")
    phrasal = clause.verb is not None and clause.verb.particle  # "looks for": a link to either word is right
    verb = Word(french.conjugated(infinitive, person), () if phrasal else (f"{label}.v",), (f"{label}.v", *about))
    turned = _turned(verb.text, subject, gender, plural, person, label, clause) if clause.question else []
    core = [*_clitic(clause, label, choice), verb, *turned]
    if clause.negated:
        core = [Word("ne", (), (f"{label}.not", f"{label}.do")), *core, Word("pas", (f"{label}.not",))]
    before = [] if clause.question and isinstance(clause.subject, Pronoun) else subject
    if clause.adjective is not None:
        form = french.agreeing(choice[f"{label}.a"], gender, plural)
        return [*before, *core, Word(form, (f"{label}.a",), (f"{label}.s.n",))]
    if isinstance(clause.object, NounPhrase):
        return [*before, *core, *_phrase(clause.object, f"{label}.o", choice, clause.negated)[0]]
    return [*before, *core]


def _subject(clause: Clause, label: str, choice: Choice) -> tuple[list[Word], str, bool, int]:
    """Return the words, gender, number and person of the subject."""
    if isinstance(clause.subject, Pronoun):
        text, person, gender, plural = choice[clause.subject.name]
        return [Word(text, (f"{label}.s.n",))], gender, plural, person
    words, gender = _phrase(clause.subject, f"{label}.s", choice)
    return words, gender, clause.subject.plural, 5 if clause.subject.plural else 2


def _turned(
    verb: str, subject: list[Word], gender: str, plural: bool, person: int, label: str, clause: Clause
) -> list[Word]:
    """Return the pronoun after the verb of a question, with -t- between two vowels."""
    own = isinstance(clause.subject, Pronoun)
    text = subject[0].text if own else {"m": "il", "f": "elle"}[gender] + "s" * plural
    between = "-t-" if person == 2 and verb[-1] in "ae" else "-"
    links = (f"{label}.s.n", f"{label}.do", f"{label}.v", "end")
    return [Word(between + text, links[:1] if own else (), links)]


def _clitic(clause: Clause, label: str, choice: Choice) -> list[Word]:
    """Return the object's pronoun, which stands before the verb."""
    if not isinstance(clause.object, Pronoun):
        return []
    name = clause.object.name
    text = OBJECTS.get(name) or choice[name][0]
    return [Word("te" if text == "tu" else text, (f"{label}.o.n",))]


def _phrase(phrase: NounPhrase, label: str, choice: Choice, negated: bool = False) -> tuple[list[Word], str]:
    """Return the words of a noun phrase, and its gender. After a negated verb "a" is de."""
    noun, gender = choice[f"{label}.n"]
    plural = phrase.plural
    words = [Word(french.plural_of(noun) if plural else noun, (f"{label}.n",))]
    if phrase.adjective is not None:
        lemma = choice[f"{label}.a"]
        form = french.agreeing(lemma, gender, plural)
        if phrase.adjective.before and gender == "m" and not plural and french.before_a_vowel(noun):
            form = french.BEFORE_A_VOWEL.get(lemma, form)
        adjective = Word(form, (f"{label}.a",), (f"{label}.n",))
        words = [adjective, *words] if phrase.adjective.before else [*words, adjective]
    texts = ["de"] if negated and phrase.determiner == "a" else french.determiner(phrase.determiner, gender, plural)
    if french.before_a_vowel(words[0].text):
        texts = [{"ce": "cet", "ma": "mon"}.get(text, text) for text in texts]
    before = [Word(text, () if text == "de" else (f"{label}.d",), (f"{label}.d", f"{label}.n")) for text in texts]
    return [*before, *words], gender


def _treaty(treaty: Treaty, label: str) -> list[Word]:
    _, noun, gender = treaty.treaty
    _, body, kind = treaty.body
    article = {"m": "le", "f": "la"}
    words = [Word(article[gender], ("d",), ("n",)), Word(noun, ("n",)), Word("sur", ("on",))]
    words += [Word(article[kind], ("b.d",), ("b.n",)), Word(body, ("b.n",))]
    words += [Word(treaty.field[1], ("b.f",)), Word(french.agreeing(treaty.region[1], kind, False), ("b.r",), ("b.n",))]
    has, been = Word("a", (), ("was", "v")), Word("été", (), ("was", "v"))
    words += [Word("ne", (), ("not",)), has, Word("pas", ("not",)), been] if treaty.negated else [has, been]
    words += [Word(french.agreeing("signé", gender, False), ("v",), ("n", "was")), Word("en", ("in",))]
    words += [Word(treaty.month[1], ("m",)), Word(treaty.year, ("y",))]
    parts = [(word.text, word.sure, word.possible) for word in words]
    return [Word(text, *(tuple(f"{label}.{part}" for part in links) for links in both)) for text, *both in parts]
