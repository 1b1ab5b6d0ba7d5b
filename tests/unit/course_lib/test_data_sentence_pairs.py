"""The English-French sentence pairs: grammar, probabilities, alignment, what is held out; and pairs from files."""

import math
import re
from pathlib import Path

import pytest
import torch

from course_lib.data import (
    draw_pairs,
    english_vocabulary,
    european_economic_area,
    french_vocabulary,
    hub,
    hub_pairs,
    tab_separated_pairs,
    tokens_of,
)
from course_lib.data import french as words
from course_lib.data.sentence_pairs import pairs_of, translations
from course_lib.data.translation_draws import held_out
from course_lib.data.translation_english import Clause, Meaning, NounPhrase, Pronoun

NOUN = {noun.english: noun for noun in words.NOUNS}
ADJECTIVE = {word.english: word for word in words.ADJECTIVES}
VERB = {verb.english: verb for verb in words.VERBS}


@pytest.fixture(scope="module")
def pairs():
    """Return a thousand pairs of each part."""
    return {part: draw_pairs(1000, 11, part) for part in ("training", "held_out", "long")}


def thing(text):
    """Return "a old tree*" as a noun phrase (* for the plural), or a pronoun."""
    *before, noun = text.split()
    if not before:
        return Pronoun({form: name for name, form in words.PRONOUNS.items()}.get(noun, noun))
    adjective = ADJECTIVE[before[1]] if len(before) > 1 else None
    return NounPhrase(before[0], NOUN[noun.rstrip("*")], noun.endswith("*"), adjective)


def said(subject, verb, about, *, negated=False, question=False):
    """Return (English, the most probable French) of one clause."""
    adjective = None if verb else ADJECTIVE[about]
    clause = Clause(
        thing(subject), VERB[verb] if verb else None, thing(about) if verb else None, adjective, negated, question
    )
    meaning = Meaning((clause,))
    return " ".join(word for word, _ in meaning.english()), " ".join(next(iter(translations(meaning))))


NOT, ASKS = {"negated": True}, {"question": True}
EXAMPLES = [
    ("the king", "see", "a green bike", {}, "the king sees a green bike .", "le roi voit un vélo vert ."),
    ("the king", "see", "a green bike", NOT, "the king does not see a green bike .", "le roi ne voit pas de vélo vert ."),
    ("they", "look", "it", NOT, "they do not look for it .", "ils ne le cherchent pas ."),
    ("a old tree", "", "white", {}, "an old tree is white .", "un vieil arbre est blanc ."),
    ("these old star*", "", "white", {}, "these old stars are white .", "ces vieilles étoiles sont blanches ."),
    ("this bird", "love", "them", NOT, "this bird does not love them .", "cet oiseau ne les aime pas ."),
    ("she", "love", "you", ASKS, "does she love you ?", "t' aime -t-elle ?"),
    ("he", "want", "the letter", ASKS, "does he want the letter ?", "veut -il la lettre ?"),
    ("my star", "", "beautiful", {**NOT, **ASKS}, "is my star not beautiful ?", "mon étoile n' est -elle pas belle ?"),
    ("many child*", "follow", "us", {}, "many children follow us .", "beaucoup d' enfants nous suivent ."),
    ("I", "hear", "him", {}, "I hear him .", "je l' entends ."),
    ("two beautiful bird*", "", "tired", {}, "two beautiful birds are tired .", "deux beaux oiseaux sont fatigués ."),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "verb", "about", "how", "english", "french"), EXAMPLES)
def test_the_grammar_of_both_languages(subject, verb, about, how, english, french):
    assert said(subject, verb, about, **how) == (english, french)


def test_every_choice_agrees_with_all_that_depends_on_it():
    clause = Clause(thing("the bike"), None, None, ADJECTIVE["green"], False, False)
    found = {" ".join(text): chance for text, chance in translations(Meaning((clause,))).items()}
    assert found == {"le vélo est vert .": 0.75, "la bicyclette est verte .": 0.25}


def test_equal_translations_are_merged():
    """it is le or la; before a vowel both are l'."""
    clause = Clause(thing("she"), VERB["hear"], thing("it"), None, False, False)
    assert translations(Meaning((clause,))) == {("elle", "l'", "entend", "."): 1.0}


@pytest.mark.nightly(reason="goes through all sentences of the grammar")
@pytest.mark.slow
def test_probabilities_add_up_to_one(pairs):
    for place in range(150):
        for part in pairs.values():
            found = part.translations(place)
            assert math.isclose(sum(found.values()), 1.0)
            assert [*found.values()] == sorted(found.values(), reverse=True)
            assert tuple(part.french[place]) in found


def test_translations_are_drawn_as_often_as_their_probabilities_say():
    clause = Clause(thing("the teacher"), VERB["love"], thing("them"), None, False, False)
    meaning = Meaning((clause,))
    drawn = pairs_of([meaning] * 2000, seed=3).french
    for text, chance in translations(meaning).items():
        share = drawn.count([*text]) / 2000
        assert abs(share - chance) < 5 * math.sqrt(chance * (1 - chance) / 2000)


@pytest.mark.slow
def test_an_english_sentence_has_one_meaning(pairs):
    for part in pairs.values():
        seen = {}
        for text, meaning in zip(part.english, part.meanings, strict=True):
            assert seen.setdefault(tuple(text), meaning) == meaning


def test_every_french_word_belongs_to_english_ones(pairs):
    for part in pairs.values():
        for place in range(150):
            sure, possible = part.alignment(place)
            assert sure.shape == possible.shape == (len(part.french[place]), len(part.english[place]))
            assert possible.any(dim=1).all()
            assert (possible | ~sure).all()
            assert sure.sum(dim=1).max() == 1


def test_the_famous_sentence_turns_three_words_round():
    pair = european_economic_area()
    assert " ".join(pair.english[0]) == "the agreement on the european economic area was signed in august 1992 ."
    assert " ".join(pair.french[0]) == "l' accord sur la zone économique européenne a été signé en août 1992 ."
    sure, _ = pair.alignment(0)
    assert sure[4:7, 4:7].int().tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert any(map(held_out, pair.meanings[0].pairs()))


@pytest.mark.slow
def test_no_held_out_combination_is_in_training(pairs):
    assert not any(held_out(pair) for meaning in pairs["training"].meanings for pair in meaning.pairs())
    assert all(any(map(held_out, meaning.pairs())) for meaning in pairs["held_out"].meanings)
    seen = {tuple(text) for text in draw_pairs(5_000, 12).english}
    assert not seen & {tuple(text) for text in pairs["held_out"].english}


def test_every_word_of_a_held_out_combination_is_in_training_with_others(pairs):
    seen = {word for meaning in pairs["training"].meanings for pair in meaning.pairs() for word in pair}
    assert {word for meaning in pairs["held_out"].meanings for pair in meaning.pairs() for word in pair} <= seen


def test_long_sentences_have_more_clauses_than_any_other(pairs):
    assert max(len(meaning.clauses) for meaning in pairs["training"].meanings) == 2
    assert {len(meaning.clauses) for meaning in pairs["long"].meanings} == {3, 4}
    assert {len(m.clauses) for m in draw_pairs(50, 1, "held_out", clauses=2).meanings} == {2}


@pytest.mark.nightly(reason="goes through all sentences of the grammar")
@pytest.mark.slow
def test_the_vocabularies_hold_every_word_and_none_besides(pairs):
    many = draw_pairs(25_000, 13)
    for vocabulary, texts in ((english_vocabulary(), many.english), (french_vocabulary(), many.french)):
        assert {word for text in texts for word in text} == set(vocabulary.words)
        assert max(map(len, texts)) <= 24


def test_the_same_seed_gives_the_same_pairs_and_another_seed_others():
    assert draw_pairs(50, 2**63 + 1).french == draw_pairs(50, 2**63 + 1).french
    assert draw_pairs(50, 1).english != draw_pairs(50, 2).english
    assert draw_pairs(50, 1).english != draw_pairs(50, 1, "held_out").english


@pytest.mark.slow
def test_best_is_the_highest_probability(pairs):
    part = draw_pairs(400, 5, "held_out")
    best = part.best()
    assert 0.5 < float(best.mean()) < 0.9
    first = [next(iter(part.translations(place))) for place in range(400)]
    assert torch.equal(part.probabilities(first), best)
    assert part.probabilities([["nonsense"]] * 400).sum() == 0
    words_and_ends = sum(len(text) + 1 for text in part.french)
    want = -sum(math.log(part.translations(i)[tuple(part.french[i])]) for i in range(400)) / words_and_ends
    assert math.isclose(part.lowest_loss(), want)


def test_the_same_sentences_translated_again(pairs):
    part = pairs["held_out"]
    again = part.again(3)
    assert again.english == part.english
    assert again.french == part.again(3).french != part.french
    assert (part.probabilities(again.french) > 0).all()


@pytest.mark.parametrize(("count", "part"), [(0, "training"), (100_001, "training"), (3, "test")])
def test_invalid_arguments_are_errors(count, part):
    with pytest.raises(ValueError, match="Expected"):
        draw_pairs(count, 1, part)


#: As in fra.txt: a licence in the third column, accents in two parts, marks that are not seen, empty lines, a pair twice.
LINES = [
    "\ufeffGo.\tVa !\tCC-BY 2.0 (France) Attribution: tatoeba.org #2877272 (CM) & #1158250 (Wittydev)",
    "",
    "He don't see it.\tIl ne l\u2019a pas vu.\u200f",
    "The tree\tL'e\u0301toile",
    "  \u200e ",
    "Go.\tVa\u202f!\tanother licence",
    "Did you find the long old way home?\tAs-tu trouvé aujourd'hui le long et vieux chemin ?",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fra.txt"
    path.write_text("\r\n".join(LINES) + "\r\n", encoding="utf8", newline="")
    return path


def test_reads_tab_separated_pairs(file):
    english, french = tab_separated_pairs(file)
    assert english[:3] == [["go", "."], ["he", "don't", "see", "it", "."], ["the", "tree"]]
    assert french[:3] == [["va", "!"], ["il", "ne", "l'", "a", "pas", "vu", "."], ["l'", "étoile"]]
    assert french[3][:3] == ["as-tu", "trouvé", "aujourd'hui"]
    assert len(english) == len(french) == 4
    assert [len(side) for side in tab_separated_pairs(file, longest=7)] == [3, 3]
    assert tab_separated_pairs(file, most=1) == ([["go", "."]], [["va", "!"]])


def test_splits_right_to_left_sentences_and_drops_the_marks():
    assert tokens_of("\u202bשלום, עולם!\u202c") == ["שלום", ",", "עולם", "!"]


def test_refuses_files_in_another_form(tmp_path, file):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        tab_separated_pairs(tmp_path / "nothing.txt")
    with pytest.raises(ValueError, match="got none"):
        tab_separated_pairs(file, longest=1)
    path = tmp_path / "other.txt"
    path.write_text("Go.\tVa !\nno tab here\n", encoding="utf8")
    with pytest.raises(ValueError, match=re.escape("line 2")):
        tab_separated_pairs(path)
    path.write_bytes("Va là\tGo".encode("latin-1"))
    with pytest.raises(ValueError, match="UTF-8"):
        tab_separated_pairs(path)


class Table:
    """As much of a `datasets.Dataset` as is asked for."""

    column_names = ("id", "translation")

    def __init__(self, cells):
        self.cells = cells

    def __len__(self):
        return len(self.cells)

    def __getitem__(self, column):
        return self.cells


def test_reads_pairs_from_the_hub(monkeypatch):
    cells = [{"en": "Go.", "fr": "Va !"}, {"en": "I see.", "fr": "Je vois."}, {"en": "Go.", "fr": "Va !"}]
    monkeypatch.setattr(hub, "_load", lambda *_, **__: Table(cells))
    assert hub_pairs() == ([["go", "."], ["i", "see", "."]], [["va", "!"], ["je", "vois", "."]])
    with pytest.raises(ValueError, match="no column"):
        hub_pairs(column="text")
    with pytest.raises(ValueError, match="sentences under"):
        hub_pairs(languages=("en", "de"))


def test_some_pairs_are_taken_with_all_that_belongs_to_them(pairs):
    all_of = pairs["held_out"]
    some = all_of.take([7, 3])
    assert some.english == [all_of.english[7], all_of.english[3]]
    assert some.translations(1) == all_of.translations(3)
    assert torch.equal(some.alignment(0)[1], all_of.alignment(7)[1])
    assert some.lowest_loss() > 0
