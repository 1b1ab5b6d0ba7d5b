"""The words of a small English and a small French, and the French forms that depend on gender, number, person and sound.

The probabilities of a word's translations add up to 1.
"""

from dataclasses import dataclass

VOWELS = "aeiouyéèêâîôû"

Lemmas = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Noun:
    """An English noun, and its French ones: (singular, gender "m" or "f", probability)."""

    english: str
    french: tuple[tuple[str, str, float], ...]
    irregular: str = ""

    def plural(self) -> str:
        """Return the English plural."""
        return self.irregular or self.english + "s"


@dataclass(frozen=True)
class Adjective:
    """An English adjective, and its French masculine forms with their probabilities and positions."""

    english: str
    french: Lemmas
    before: bool = False


@dataclass(frozen=True)
class Verb:
    """An English verb, its particle, and its French infinitives with their probabilities."""

    english: str
    french: Lemmas
    particle: str = ""

    def third(self) -> str:
        """Return the English third person singular."""
        return self.english + "s"


def _noun(english: str, *french: str, irregular: str = "") -> Noun:
    """Create a noun from its translations, each "word gender probability"."""
    parts = [entry.split() for entry in french]
    return Noun(english, tuple((word, gender, float(chance)) for word, gender, chance in parts), irregular)


NOUNS = (
    _noun("king", "roi m 1"),
    _noun("queen", "reine f 1"),
    _noun("cat", "chat m 1"),
    _noun("bird", "oiseau m 1"),
    _noun("child", "enfant m 1", irregular="children"),
    _noun("teacher", "professeur m 0.7", "enseignante f 0.3"),
    _noun("neighbour", "voisin m 0.6", "voisine f 0.4"),
    _noun("house", "maison f 1"),
    _noun("tree", "arbre m 1"),
    _noun("star", "étoile f 1"),
    _noun("boat", "bateau m 1"),
    _noun("bike", "vélo m 0.75", "bicyclette f 0.25"),
    _noun("letter", "lettre f 1"),
    _noun("flower", "fleur f 1"),
)
ADJECTIVES = (
    Adjective("old", (("vieux", 1.0),), before=True),
    Adjective("small", (("petit", 1.0),), before=True),
    Adjective("big", (("grand", 0.8), ("gros", 0.2)), before=True),
    Adjective("beautiful", (("beau", 1.0),), before=True),
    Adjective("green", (("vert", 1.0),)),
    Adjective("black", (("noir", 1.0),)),
    Adjective("white", (("blanc", 1.0),)),
    Adjective("strange", (("étrange", 0.6), ("bizarre", 0.4))),
    Adjective("famous", (("célèbre", 1.0),)),
    Adjective("tired", (("fatigué", 1.0),)),
)
VERBS = (
    Verb("see", (("voir", 1.0),)),
    Verb("love", (("aimer", 0.8), ("adorer", 0.2))),
    Verb("hear", (("entendre", 1.0),)),
    Verb("look", (("chercher", 1.0),), particle="for"),
    Verb("find", (("trouver", 1.0),)),
    Verb("follow", (("suivre", 1.0),)),
    Verb("know", (("connaître", 1.0),)),
    Verb("want", (("vouloir", 0.75), ("désirer", 0.25))),
    Verb("draw", (("dessiner", 1.0),)),
)

#: Verbs that do not follow aimer, for je, tu, il, nous, vous, ils.
IRREGULAR = {
    "voir": "vois vois voit voyons voyez voient",
    "entendre": "entends entends entend entendons entendez entendent",
    "suivre": "suis suis suit suivons suivez suivent",
    "connaître": "connais connais connaît connaissons connaissez connaissent",
    "vouloir": "veux veux veut voulons voulez veulent",
    "être": "suis es est sommes êtes sont",
}
FEMININE = {"vieux": "vieille", "beau": "belle", "blanc": "blanche", "gros": "grosse", "européen": "européenne"}
BEFORE_A_VOWEL = {"vieux": "vieil", "beau": "bel"}
ELIDED = {"je": "j'", "le": "l'", "la": "l'", "ne": "n'", "me": "m'", "te": "t'", "de": "d'", "que": "qu'"}

#: English pronouns: subject form to object form. "it" is used only as an object.
PRONOUNS = {"I": "me", "you": "you", "he": "him", "she": "her", "we": "us", "they": "them"}

#: The treaties of the lecture's example: what was signed, about what, and when.
TREATIES = (("agreement", "accord", "m"), ("treaty", "traité", "m"), ("convention", "convention", "f"))
REGIONS = (("european", "européen"), ("african", "africain"), ("american", "américain"))
FIELDS = (("economic", "économique"), ("political", "politique"), ("monetary", "monétaire"), ("military", "militaire"))
BODIES = (("area", "zone", "f"), ("union", "union", "f"), ("market", "marché", "m"), ("council", "conseil", "m"))
MONTHS = (("january", "janvier"), ("march", "mars"), ("may", "mai"), ("july", "juillet"), ("august", "août"))
YEARS = ("1957", "1992", "2004", "2011")


def conjugated(infinitive: str, person: int) -> str:
    """Return the present of a verb for je, tu, il, nous, vous, ils (0 to 5)."""
    if infinitive in IRREGULAR:
        return IRREGULAR[infinitive].split()[person]
    return infinitive[:-2] + ("e", "es", "e", "ons", "ez", "ent")[person]


def agreeing(adjective: str, gender: str, plural: bool) -> str:
    """Return the form of an adjective or a participle, from its masculine singular."""
    form = adjective
    if gender == "f" and not form.endswith("e"):
        form = FEMININE.get(adjective, adjective + "e")
    if not plural or form[-1] in "sx":
        return form
    return form + ("x" if form.endswith("eau") or form == "beau" else "s")


def plural_of(noun: str) -> str:
    """Return the plural of a French noun."""
    return noun + ("x" if noun.endswith("eau") else "s")


def before_a_vowel(word: str) -> bool:
    """Return whether a word begins with a vowel sound, which changes the word before it."""
    return word[0] in VOWELS


def determiner(english: str, gender: str, plural: bool) -> list[str]:
    """Return the French words for the, a, this, these, my, every, many and two, in the form before a consonant."""
    forms = {
        "the": ("le", "la", "les"),
        "a": ("un", "une", ""),
        "this": ("ce", "cette", ""),
        "these": ("", "", "ces"),
        "my": ("mon", "ma", "mes"),
        "every": ("chaque", "chaque", ""),
        "many": ("", "", "beaucoup de"),
        "two": ("", "", "deux"),
    }
    return forms[english][2 if plural else "mf".index(gender)].split()
