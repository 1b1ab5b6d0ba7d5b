"""All words of the small English and of the small French."""

from functools import cache
from itertools import product

from course_lib.data import french
from course_lib.data.french import ADJECTIVES, BODIES, FIELDS, MONTHS, NOUNS, REGIONS, TREATIES, VERBS, YEARS
from course_lib.data.translation_draws import PLURAL, SINGULAR
from course_lib.data.translation_french import CONJUNCTIONS, OBJECTS, SUBJECTS
from course_lib.data.vocabulary import Vocabulary


@cache
def english_vocabulary() -> Vocabulary:
    """Return the vocabulary of all English words of the language, in alphabetical order."""
    words = {".", "?", "an", "do", "does", "not", "am", "is", "are", "it", "on", "was", "signed", "in"}
    words |= {*SINGULAR, *PLURAL, *CONJUNCTIONS, *YEARS, *french.PRONOUNS, *french.PRONOUNS.values()}
    words |= {form for noun in NOUNS for form in (noun.english, noun.plural())}
    words |= {form for verb in VERBS for form in (verb.english, verb.third(), verb.particle) if form}
    words |= {word.english for word in ADJECTIVES}
    words |= {entry[0] for group in (TREATIES, REGIONS, FIELDS, BODIES, MONTHS) for entry in group}
    return Vocabulary(tuple(sorted(words)))


@cache
def french_vocabulary() -> Vocabulary:
    """Return the vocabulary of all French words of the language, in alphabetical order."""
    words = {".", "?", "sur", "a", "été", "en", "ne", "pas", "de", "te", "cet", *french.ELIDED.values(), *YEARS}
    words |= {word for several in CONJUNCTIONS.values() for word in several}
    persons = {options[0] for several in SUBJECTS.values() for options, _ in several}
    words |= {*persons, *OBJECTS.values(), "-t-il", "-t-elle"} | {f"-{word}" for word in persons - {"je", "le", "la"}}
    for plural, determiners in enumerate((SINGULAR, PLURAL)):
        words |= {word for one in determiners for g in "mf" for word in french.determiner(one, g, bool(plural))}
    words |= {form for noun in NOUNS for word, _, _ in noun.french for form in (word, french.plural_of(word))}
    adjectives = [lemma for word in ADJECTIVES for lemma, _ in word.french]
    words |= {french.agreeing(lemma, g, plural) for lemma in adjectives for g, plural in product("mf", (False, True))}
    words |= {french.agreeing(lemma, g, False) for lemma in ("signé", *(word for _, word in REGIONS)) for g in "mf"}
    verbs = ["être", *(lemma for verb in VERBS for lemma, _ in verb.french)]
    words |= {french.conjugated(lemma, person) for lemma in verbs for person in range(6)}
    words |= {entry[1] for group in (TREATIES, FIELDS, BODIES, MONTHS) for entry in group}
    return Vocabulary(tuple(sorted({*words, *french.BEFORE_A_VOWEL.values()})))
