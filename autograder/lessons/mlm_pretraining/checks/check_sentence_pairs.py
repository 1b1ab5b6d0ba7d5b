"""sentence_pairs(documents, generator).

The halves are judged by counts (autograder.checks.dropout): about twenty comparisons, so that a right answer is refused
less than once in a million gradings.
"""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    SeededGenerator,
    Student,
    exercise,
    expect,
    inputs,
    is_random,
    points,
    promises,
    raises_value_error,
    within_error_rate,
)
from autograder.lessons.mlm_pretraining.references import CLS, ORDINARY, PAD, SEP

NAME = "sentence_pairs"
#: How many sentences each document has. One alone has no next sentence, but may come second to others.
COUNTS = (3, 5, 1, 2)


def _documents(draw: Draw, counts=COUNTS, longest=4):
    """Documents whose sentences are all different: the first id of each is its number."""
    sentence = ORDINARY
    documents: list[list[list[int]]] = []
    for count in counts:
        documents.append([])
        for _ in range(count):
            rest = (1000 + draw.integers(500, int(draw.integers(longest)))).tolist()
            documents[-1].append([sentence, *rest])
            sentence += 1
    return documents


def _pairs(student: Student, documents, seed: int, **fields):
    """Return (ids, segments, is_next), after looking at their types and shapes."""
    value = student.answer(Request(NAME, (documents, SeededGenerator(seed)), **fields)).value
    if not isinstance(value, tuple | list) or len(value) != 3:
        came = f"{len(value)} results" if isinstance(value, tuple | list) else f"a {type(value).__name__}"
        raise CheckFailure(
            "type",
            "Three results are expected, (ids, segments, is_next).",
            yours=came,
            received=came,
            cause="wrong number of results",
            hint="return ids, segments, is_next",
        )
    ids, segments, is_next = (expect.tensor(part, what) for part, what in zip(value, WHAT, strict=True))
    setting = _describe(documents)
    count = sum(len(document) - 1 for document in documents)
    expect.shape(is_next, (count,), "is_next", "one for each sentence that has a next one", setting)
    if ids.dim() != 2 or len(ids) != count:
        expect.shape(ids, (count, ids.shape[-1] if ids.dim() else 1), "ids", "(pairs, longest)", setting)
    expect.shape(segments, ids.shape, "segments", "as ids", setting)
    inputs.id_tensor(ids, "ids")
    inputs.id_tensor(segments, "segments")
    return ids, segments, is_next


WHAT = ("ids", "segments", "is_next")


def _describe(documents):
    return f"documents of {', '.join(str(len(d)) for d in documents)} sentences"


def _fail(kind, message, documents, cause, hint, expected="", yours=""):
    raise CheckFailure(
        kind,
        message,
        setting=_describe(documents),
        expected=expected,
        yours=yours,
        received=cause,
        cause=cause,
        hint=hint,
    )


def _taken_apart(ids, documents):
    """Return the sentences A and B of each row [CLS] A [SEP] B [SEP], or fail."""
    found = []
    for row in ids.tolist():
        while row and row[-1] == PAD:
            row.pop()
        places = [n for n, token in enumerate(row) if token == SEP]
        if row[:1] != [CLS] or len(places) != 2 or places[-1] != len(row) - 1 or PAD in row:
            cause = (
                "[CLS] missing"
                if row[:1] != [CLS]
                else "[SEP] missing or too many"
                if len(places) != 2
                else "wrong form"
            )
            _fail(
                "form",
                "A row does not have the form [CLS] A [SEP] B [SEP].",
                documents,
                cause,
                "[CLS] comes first, and [SEP] after each of the two sentences; padding comes last.",
                f"[{CLS}, …, {SEP}, …, {SEP}]",
                str(row[:12]),
            )
        found.append((row[1 : places[0]], row[places[0] + 1 : -1]))
    return found


def _numbered(documents):
    """Map the first id of each sentence to its position (document, place)."""
    return {s[0]: (d, p) for d, document in enumerate(documents) for p, s in enumerate(document)}


def _check_form(student: Student, documents, seed: int):
    """Require the right form; return the first ids of A and B of each pair, and is_next."""
    ids, segments, is_next = _pairs(student, documents, seed)
    pairs = _taken_apart(ids, documents)
    _are_sentences(pairs, documents)
    _one_pair_each(pairs, documents)
    if ids.shape[1] != max(len(a) + len(b) + 3 for a, b in pairs):
        _fail(
            "form",
            "The rows are longer than the longest pair.",
            documents,
            "too much padding",
            "Fill up to the longest pair of this call, not further.",
        )
    _right_segments(segments, pairs, documents)
    return [(a[0], b[0]) for a, b in pairs], is_next.tolist()


def _are_sentences(pairs, documents) -> None:
    """Fail unless both parts of every pair are whole sentences of the documents."""
    known = {s[0]: s for document in documents for s in document}
    for a, b in pairs:
        for sentence in (a, b):
            if not sentence or known.get(sentence[0]) != sentence:
                _fail(
                    "form",
                    "A row holds something that is no sentence of the documents.",
                    documents,
                    "sentence changed",
                    "Put the whole sentences into the row, as they are.",
                    yours=str(sentence[:12]),
                )


def _one_pair_each(pairs, documents) -> None:
    """Fail unless every sentence with a next one comes first in exactly one pair."""
    want = [s[0] for document in documents for s in document[:-1]]
    got = [a[0] for a, _ in pairs]
    if sorted(got) != sorted(want):
        _fail(
            "form",
            "The first sentences of the pairs are not the ones that they should be.",
            documents,
            "not one pair for every sentence with a next one",
            "Every sentence but the last of its document comes first in exactly one pair.",
            str(want[:12]),
            str(got[:12]),
        )


def _right_segments(segments, pairs, documents) -> None:
    """Fail unless each row has segment 0 up to the first [SEP], then 1 up to the second, and 0 in the padding."""
    for row, (a, b) in zip(segments.tolist(), pairs, strict=True):
        right = [0] * (len(a) + 2) + [1] * (len(b) + 1)
        if row[: len(right)] != right or any(row[len(right) :]):
            _fail(
                "segments",
                "The segments are wrong.",
                documents,
                _wrong_segments(row, right, len(a)),
                "[CLS], A and the first [SEP] are segment 0, B and the second [SEP] are 1, and padding is 0.",
                str(right),
                str(row[: len(right) + 2]),
            )


def _wrong_segments(row, right, length):
    if row[: len(right)] == right:
        return "padding is not segment 0"
    if row[length + 1] == 1 and row[: length + 1] == right[: length + 1]:
        return "first [SEP] in segment 1"
    if set(row) <= {1, 2}:
        return "segments counted from 1"
    return "segments in the wrong places"


@exercise(NAME)
@points(6)
def check_form(student: Student, draw: Draw) -> None:
    """Each pair is [CLS] A [SEP] B [SEP] and padding; A is every sentence that has a next one; segments are 0 and 1"""
    for counts, longest in (((2, 2), 4), (COUNTS, 4), ((1, 2), 4), ((4, 1, 1, 3), 4), ((3, 3), 400)):
        for _ in range(3):
            documents = _documents(draw, counts, longest)
            pairs, is_next = _check_form(student, documents, int(draw.integers(2**40)))
            _check_truth(pairs, is_next, documents)


def _check_truth(pairs, is_next, documents):
    """Fail unless is_next says for each pair whether B follows A."""
    where = _numbered(documents)
    for (a, b), said in zip(pairs, is_next, strict=True):
        true = where[b] == (where[a][0], where[a][1] + 1)
        if bool(said) != true:
            opposite = all(
                bool(s) != (where[y] == (where[x][0], where[x][1] + 1))
                for (x, y), s in zip(pairs, is_next, strict=True)
            )
            _fail(
                "truth",
                "is_next does not say whether B follows A.",
                documents,
                "labels inverted"
                if opposite and len(pairs) > 1
                else "a random sentence that is the next one after all"
                if true
                else "label does not fit the pair",
                "True where B is the sentence after A. A sentence of *another* document cannot be it by chance.",
                str(true),
                str(said),
            )


@exercise(NAME)
@points(6)
def check_half_are_next(student: Student, draw: Draw) -> None:
    """For half of the pairs B is the sentence that follows A, each decided on its own"""
    documents = _documents(draw, (150, 150), longest=1)
    followed, together, rounds = 0, 0, 4
    for _ in range(rounds):
        pairs, is_next = _check_form(student, documents, int(draw.integers(2**40)))
        _check_truth(pairs, is_next, documents)
        followed += sum(map(bool, is_next))
        together += sum(bool(x) and bool(y) for x, y in zip(is_next[::2], is_next[1::2], strict=True))
    total = rounds * len(pairs)
    if not within_error_rate(followed, total, 0.5):
        cause = {0: "never the next sentence", total: "always the next sentence"}.get(followed, "not half of the pairs")
        _fail(
            "share",
            "The share of pairs in which B follows A is wrong.",
            documents,
            cause,
            "Draw a uniform number for every pair: below 0.5, B is the next sentence.",
            "50%",
            f"{followed / total:.1%}",
        )
    if not within_error_rate(together, total // 2, 0.25):
        _decided_together(
            documents, "in a quarter of neighbouring pairs both are next", f"in {together / (total // 2):.1%}"
        )
    few = _documents(draw, (4, 4), longest=1)
    counts = [sum(map(bool, _pairs(student, few, draw.new_seed())[2].tolist())) for _ in range(100)]
    if not is_random(counts, 6, 0.5):
        expected = "in some calls one of 6 pairs is the next sentence, in others 5"
        _decided_together(few, expected, f"{min(counts)} to {max(counts)} of 6, in each of 100 calls")


def _decided_together(documents, expected: str, yours: str) -> None:
    _fail(
        "share",
        "The pairs are not decided independently.",
        documents,
        "decisions hang together",
        "Draw a number for every pair, not one for a document or for the call, do not take turns, and do not share out halves.",
        expected,
        yours,
    )


@exercise(NAME)
@points(6)
def check_other_sentences(student: Student, draw: Draw) -> None:
    """In the other pairs B comes from another document, any of them, and each of its sentences is equally probable"""
    counts = (41, 1, 9)
    documents = _documents(draw, counts, longest=1)
    where = _numbered(documents)
    seen: dict = {}
    total = 0
    for _ in range(15):
        pairs, is_next = _check_form(student, documents, int(draw.integers(2**40)))
        _check_truth(pairs, is_next, documents)
        for (a, b), said in zip(pairs, is_next, strict=True):
            if said:
                continue
            total += 1
            if where[a][0] == where[b][0]:
                _fail(
                    "source",
                    "The second sentence of a random pair comes from the document of the first.",
                    documents,
                    "a sentence follows itself" if a == b else "random sentence from the same document",
                    "Draw from the sentences of all other documents: in the same one you may draw the next, or A itself.",
                )
            if where[a][0] == 0:
                seen[where[b]] = seen.get(where[b], 0) + 1
    if total == 0:
        _fail(
            "source", "No pair is random.", documents, "always the next sentence", "Half of the pairs should be random."
        )
    _come_second_equally_often(seen, [(d, p) for d in (1, 2) for p in range(counts[d])], documents)
    _copies_are_documents(student, draw)


def _come_second_equally_often(seen, places, documents) -> None:
    """Fail unless each sentence in ``places`` is as probable as the others. ``seen``: how often each has come second."""
    from_first, share = sum(seen.values()), 1 / len(places)
    for place in places:
        if not within_error_rate(seen.get(place, 0), from_first, share):
            drawn = seen.get(place, 0) / max(from_first, 1)
            _fail(
                "source",
                f"Sentence {place[1]} of document {place[0]} is drawn too {'often' if drawn > share else 'rarely'}.",
                documents,
                "some sentences come second more often"
                if seen.keys() >= {*places}
                else "only some sentences come second",
                "Put the sentences of all other documents into one list and draw from it: the first and the last too, and "
                "those of a short document no more often than others.",
                f"{share:.0%} of the random pairs with a first sentence from document 0",
                f"{drawn:.0%}",
            )


def _copies_are_documents(student: Student, draw: Draw) -> None:
    """Fail unless a document with the same sentences counts as another one, from which B is drawn as from any other."""
    one, other = _documents(draw, (30, 10), longest=1)
    documents = [one, [[*sentence] for sentence in one], other]
    known = {sentence[0] for sentence in one}
    drawn: list[bool] = []
    for _ in range(3):
        ids, _, is_next = _pairs(student, documents, draw.new_seed())
        pairs = zip(_taken_apart(ids, documents), is_next.tolist(), strict=True)
        drawn += [b[0] in known for (a, b), said in pairs if a[0] in known and not said]
    if not within_error_rate(sum(drawn), len(drawn), 0.75):
        _fail(
            "source",
            "Two of the documents hold the same sentences, and too few or too many second sentences come from the other one.",
            documents,
            "documents told apart by their content",
            "Another document is one at another place in the list, whatever it holds. Look for ==, != and in.",
            "75% of the random second sentences",
            f"{sum(drawn) / max(len(drawn), 1):.1%}",
        )


@exercise(NAME)
@points(3)
@promises
def check_generator(student: Student, draw: Draw) -> None:
    """All randomness comes from `generator`: the same seed gives the same pairs, the next call others; documents are unchanged"""
    documents = _documents(draw, (10,) * 8)
    seed = int(draw.integers(2**40))
    first, again = _pairs(student, documents, seed), _pairs(student, documents, seed)
    if not all(torch.equal(x, y) for x, y in zip(first, again, strict=True)):
        _fail(
            "random",
            "Two generators with the same seed give different pairs.",
            documents,
            "generator not used",
            "Draw with torch.rand and torch.randint, generator=generator; Python's random knows nothing of it.",
        )
    for others in (_pairs(student, documents, seed, times=2), _pairs(student, documents, seed + 1)):
        if first[0].shape == others[0].shape and torch.equal(first[0], others[0]):
            _fail(
                "random",
                "The next call gives the same pairs again.",
                documents,
                "the same pairs every time",
                "Do not seed anything inside; draw from the generator as it comes.",
            )


@exercise(NAME)
@points(3)
def check_one_document(student: Student, draw: Draw) -> None:
    """With a single document there is no other to draw from: it raises ValueError"""
    for what, sentences in (("A single document", (4,)), ("A list without documents", ())):
        raises_value_error(
            what,
            "There is no other document to draw from. Say so in a ValueError.",
            student.sentence_pairs,
            _documents(draw, sentences),
            SeededGenerator(1),
        )
