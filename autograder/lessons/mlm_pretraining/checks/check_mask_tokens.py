"""mask_tokens(ids, vocab_size, generator, rate=0.15).

What is random is judged by counts (autograder.checks.dropout): about 250 comparisons, so that a right answer is
refused less than once in a million gradings.
"""

import statistics
from typing import NoReturn

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    SeededGenerator,
    Student,
    exercise,
    expect,
    is_random,
    points,
    promises,
    within_error_rate,
)
from autograder.checks import inputs as plain
from autograder.lessons.mlm_pretraining.references import CLS, IGNORE, MASK, ORDINARY, PAD, SEP

NAME = "mask_tokens"
V = 23
B, N = 900, 31
WAYS = ("becomes MASK", "becomes another id", "stays")
SHARES = (0.8, 0.1, 0.1)
#: Rows, columns and rate, None for the default, with which the choice is judged. At 1, every ordinary token is chosen.
CHOICES = (
    (B, N, None),
    (B, 20, 0.3),
    (1, 9000, None),
    (9000, 1, None),
    (B, N, 0.5),
    (B, N, 0.05),
    (900, 3, 0.3),
    (B, N, 1.0),
)


def _ids(draw: Draw, rows=B, columns=N, specials=True):
    """Rows of ordinary ids; with ``specials`` between CLS and SEP, with UNK among them and padding behind."""
    ids = ORDINARY + draw.integers(V - ORDINARY, rows, columns)
    if specials:
        ids[draw.integers(12, rows, columns) == 0] = 1
        ends = 2 + draw.integers(columns - 2, rows)
        ids[:, 0] = CLS
        ids[torch.arange(rows), ends] = SEP
        ids[torch.arange(columns) > ends[:, None]] = PAD
    return ids


def _masked(student: Student, draw: Draw, ids, more="", **options):
    """Return (inputs, labels) of the student's, after looking at their types and shapes."""
    seed = int(draw.integers(2**40))
    inputs, labels = expect.pair(student.mask_tokens(ids, V, SeededGenerator(seed), **options), "inputs", "labels")
    rate = options.get("rate", 0.15)
    for value, what in ((inputs, "inputs"), (labels, "labels")):
        expect.shape(value, ids.shape, what, "(B, N), as ids", f"ids {tuple(ids.shape)}")
        plain.id_tensor(value, what)
    return inputs, labels, f"ids {tuple(ids.shape)}, rate = {rate}, vocab_size = {V}{more}"


def _fail(message, setting, cause, hint, expected="", yours="", kind="masking") -> NoReturn:
    raise CheckFailure(
        kind, message, setting=setting, expected=expected, yours=yours, received=cause, cause=cause, hint=hint
    )


def _example(ids, inputs, labels, wrong):
    """Show the first row in which something is wrong."""
    row = int(wrong.any(1).nonzero()[0])
    cut = slice(0, 14)
    return f"ids {ids[row, cut].tolist()}, inputs {inputs[row, cut].tolist()}, labels {labels[row, cut].tolist()}"


_SPECIAL = (
    "special tokens chosen",
    "They hold the sequence together and carry no meaning to be guessed. Only ids from ORDINARY on may be chosen.",
)


def _consistent(ids, inputs, labels, setting, rate=0.15):
    """Fail unless labels are the ids at some places and IGNORE at all others, and inputs are ids at those others."""
    chosen = labels != IGNORE
    if rate == 1 and bool((labels == ids).all()):  # rightly so, but for the special tokens
        _fail(
            "Every token has a label.",
            setting,
            *_SPECIAL,
            f"{IGNORE} for special tokens",
            _example(ids, inputs, labels, chosen),
        )
    if bool((labels == ids).all()):
        _fail(
            "Every token has a label.",
            setting,
            "labels for all tokens",
            "A label other than −100 makes a token count in the loss. Only the chosen ones are to be predicted: fill the "
            "others with −100.",
            f"{IGNORE} where a token was not chosen",
            _example(ids, inputs, labels, chosen),
        )
    other = chosen & (labels != ids)
    if bool(other.any()):
        _wrong_label(ids, inputs, labels, setting, other)
    changed = (inputs != ids) & ~chosen
    if bool(changed.any()):
        _fail(
            "A token is changed that has no label.",
            setting,
            "tokens without a label are changed",
            "Every token that was chosen is to be predicted, whatever happened to it; and a token that was not chosen stays.",
            yours=_example(ids, inputs, labels, changed),
        )


def _wrong_label(ids, inputs, labels, setting, other) -> NoReturn:
    """Fail for labels that are neither the ids nor IGNORE at the places ``other``, with the cause that they show."""
    if bool((labels[other] == inputs[other]).all()):
        cause = "labels taken after masking"
        hint = (
            "The labels show what the inputs hold now, MASK among it. What is to be predicted is what stood there "
            "before: take the labels from ids, while they are as they came. inputs = ids makes no copy, only a second name: "
            "what is written into one is written into both."
        )
    elif len(labels[other].unique()) == 1 and bool((labels != IGNORE).all()):
        cause = "another number than −100"
        hint = (
            f"Where nothing is to be predicted, the label has to be {IGNORE}, which no id is and which F.cross_entropy "
            f"leaves out by itself. Here it is {int(labels[other][0])}."
        )
    else:
        cause, hint = "labels are not the ids", "A label is the id that stood there before, or −100."
    _fail(
        "A label is neither the id at its place nor −100.",
        setting,
        cause,
        hint,
        yours=_example(ids, inputs, labels, other),
    )


def _something(labels, setting):
    """Fail unless tokens are chosen at all."""
    if not bool((labels != IGNORE).any()):
        _fail("No token is chosen.", setting, "nothing chosen", "At least some tokens need a label.")


@exercise(NAME)
@points(5)
def check_labels(student: Student, draw: Draw) -> None:
    """A chosen token's label is its original id, all other labels are −100, and tokens without a label are not changed"""
    for ids, options in (
        (_ids(draw, 40, 300, False), {}),  # so long that some token is chosen, also where all rows share their places
        (_ids(draw, 40, 300), {}),
        (_ids(draw), {"rate": 0.6}),
        (_ids(draw), {"rate": 1.0}),
    ):
        inputs, labels, setting = _masked(student, draw, ids, **options)
        _consistent(ids, inputs, labels, setting, **options)
        _something(labels, setting)


@exercise(NAME)
@points(5)
def check_special_tokens(student: Student, draw: Draw) -> None:
    """Special tokens ([PAD], [CLS], [SEP] and the others below ORDINARY) are never chosen, and no token becomes one but [MASK]"""
    for rate in (1.0, 0.15):
        ids = _ids(draw)
        ids[:, 1] = MASK  # there already, before anything is masked
        inputs, labels, setting = _masked(student, draw, ids, rate=rate)
        special = (ids < ORDINARY) & ((labels != IGNORE) | (inputs != ids))
        if bool(special.any()):
            names = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
            hit = [names[k] for k in ids[special].unique().tolist()]
            _fail(
                f"Special tokens are chosen: {', '.join(hit)}.",
                setting,
                *_SPECIAL,
                yours=_example(ids, inputs, labels, special),
            )
        _something(labels, setting)
        made = (inputs < ORDINARY) & (inputs != MASK) & (inputs != ids)
        if bool(made.any()) or int(inputs.max()) >= V or int(inputs.min()) < 0:
            _fail(
                "A token becomes an id that it may not become.",
                setting,
                "random ids out of bounds",
                f"The random ids are the ordinary ones, from {ORDINARY} to vocab_size − 1.",
                yours=str(sorted(set(inputs.unique().tolist()) - set(range(ORDINARY, V)) - {MASK}))[:80],
            )


@exercise(NAME)
@points(4)
def check_how_many_are_chosen(student: Student, draw: Draw) -> None:
    """Each ordinary token is chosen with probability `rate`, each on its own: other places, other rows, another choice"""
    for rows, columns, rate in CHOICES:
        options = {} if rate is None else {"rate": rate}
        rate = rate or 0.15
        ids = _ids(draw, rows, columns, specials=(rows, columns) == (B, N))
        _, labels, setting = _masked(student, draw, ids, **options)
        ordinary = ids >= ORDINARY
        chosen = (labels != IGNORE) & ordinary
        count, total = int(chosen.sum()), int(ordinary.sum())
        if not within_error_rate(count, total, rate):
            # Where one draw decides many tokens, their share is far off for that reason alone.
            _neighbours_on_their_own(chosen, ordinary, count / total, setting)
            cause, hint = _share(count, total, ids.numel(), rate)
            _fail(
                "The share of chosen tokens is wrong.",
                setting,
                cause,
                f"{hint} ({count} of {total} is too far off for bad luck, which would happen once in 10⁹ calls.)",
                f"{rate:.1%} of the ordinary tokens",
                f"{count / total:.1%}",
            )
        _neighbours_on_their_own(chosen, ordinary, rate, setting)
        if rate < 1 and bool(ordinary.all()) and min(ids.shape) > 1:
            per_row = chosen.sum(1).tolist()
            if not is_random(per_row, ids.shape[1], rate):
                yours = f"{min(per_row)} to {max(per_row)}, in most rows {statistics.mode(per_row)}"
                _hang_together(setting, "how many in a row", "numbers that vary as independent choices do", yours)
    _vary_from_call_to_call(student, draw)


def _neighbours_on_their_own(chosen, ordinary, share, setting):
    """Fail if neighbours are chosen together more often, or less, than independent choices with this share are."""
    for one, other, what in _neighbours(chosen, ordinary):
        both = int((one & other).sum())
        if not within_error_rate(both, one.numel(), share**2):
            expected = f"two of them chosen together in {share**2:.2%} of the pairs"
            _hang_together(setting, what, expected, f"in {both / one.numel():.2%}")


def _vary_from_call_to_call(student: Student, draw: Draw) -> None:
    """Fail if the number of chosen tokens of a whole call does not vary as it should."""
    ids, counts = _ids(draw, 3, 4, specials=False), []
    for _ in range(100):
        _, labels, setting = _masked(student, draw, ids, rate=0.5)
        counts.append(int((labels != IGNORE).sum()))
    if not is_random(counts, ids.numel(), 0.5):
        yours = f"{min(counts)} to {max(counts)} of 12, in most calls {statistics.mode(counts)}"
        _hang_together(setting, "how many in a call", "numbers that vary as independent choices do", yours)


def _hang_together(setting: str, what: str, expected: str, yours: str) -> NoReturn:
    _fail(
        f"Tokens are not chosen independently: {what}.",
        setting,
        "choices hang together",
        "Draw a random number for every token of every row, torch.rand(ids.shape, ...), and not one for a row, for "
        "a column, or a fixed number of tokens for each row or each call.",
        expected,
        yours,
    )


def _share(count, total, of_all, rate):
    """Return what a wrong share of labels tells, and where to look."""
    stay = SHARES[2] + SHARES[1] / (V - ORDINARY)
    for share, cause, hint in (
        (1 - stay, "tokens that stay have no label", "A chosen token that stays as it was needs its label too."),
        (SHARES[0], "only [MASK] has a label", "A chosen token needs its label whatever became of it."),
        (1 - rate, "rate the wrong way round", "Choose where a uniform number is less than rate."),
    ):
        if within_error_rate(count, total, share if "wrong way" in cause else share * rate):
            return cause, hint
    if total < of_all and within_error_rate(count, of_all, rate):
        return "rate counted over special tokens too", "The rate is a share of the ordinary tokens."
    if rate == 1:
        return (
            "some tokens are never chosen",
            "With a rate of 1 every ordinary token is chosen, the first and the last id too.",
        )
    return "wrong share of tokens chosen", (
        "Draw one uniform number for each token, and choose where it is less than rate: not a rounded number for each row."
    )


def _neighbours(marks, counted):
    """Yield the marks of pairs of places that have nothing to do with one another: in a row, and in a column."""
    for dim, what in ((1, "neighbours in a row"), (0, "neighbours in a column")):
        half = marks.shape[dim] // 2
        if half:
            first, second = (x.narrow(dim, 0, 2 * half).unflatten(dim, (half, 2)) for x in (marks, counted))
            pairs = second.select(dim + 1, 0) & second.select(dim + 1, 1)
            yield first.select(dim + 1, 0)[pairs], first.select(dim + 1, 1)[pairs], what


@exercise(NAME)
@points(4)
def check_80_10_10(student: Student, draw: Draw) -> None:
    """Of the chosen tokens 80 % become [MASK], 10 % a random id and 10 % stay, each decided on its own"""
    # With the most tokens first: where one draw decides what becomes of many, the share alone says little.
    for rate in (1.0, None, 0.5):
        ids = _ids(draw)
        inputs, labels, setting = _masked(student, draw, ids, **({} if rate is None else {"rate": rate}))
        _something(labels, setting)
        chosen = (labels != IGNORE) & (ids >= ORDINARY)
        if not bool((chosen & (inputs == MASK)).any()):
            _fail(
                "No token becomes MASK.",
                setting,
                "never MASK",
                "Of the chosen tokens, 80 % become MASK. A second comparison with the same random numbers decides nothing new "
                "where the first one has decided already (p < 0.15 implies p < 0.8).",
            )
        fates = torch.stack((inputs == MASK, (inputs != MASK) & (inputs != ids), inputs == ids))
        total = int(chosen.sum())
        seen = [int((fate & chosen).sum()) for fate in fates]
        same = 1 / (V - ORDINARY)  # a random id may be the token's own
        for others in ((SHARES[1] * (1 - same), SHARES[2] + SHARES[1] * same), SHARES[1:]):
            wrong = [n for n, p in enumerate((SHARES[0], *others)) if not within_error_rate(seen[n], total, p)]
            if not wrong:
                break
        if wrong:
            # Where one draw decides many tokens, their shares are far off for that reason alone.
            _fates_on_their_own(fates[0], chosen, seen[0] / total, setting)
            _fail(
                f"Of the chosen tokens, the wrong share {WAYS[wrong[0]]}.",
                setting,
                _split(seen, total),
                "Draw a second uniform number for each token: below 0.8 it becomes MASK, from there to 0.9 a random id, above "
                "it stays. Or divide one number into 0.8, 0.9 and 1.0 times rate.",
                "80 % [MASK], 10 % a random id, 10 % as they were",
                ", ".join(f"{count / total:.1%} {way}" for count, way in zip(seen, WAYS, strict=True)),
            )
        _fates_on_their_own(fates[0], chosen, SHARES[0], setting)


def _fates_on_their_own(hidden, chosen, share, setting):
    """Fail if chosen neighbours become MASK together more often, or less, than with this share and decisions of their own."""
    for one, other, what in _neighbours(hidden, chosen):
        both = int((one & other).sum())
        if not within_error_rate(both, one.numel(), share**2):
            _fail(
                f"What becomes of a token depends on what becomes of another: {what}.",
                setting,
                "one decision for several tokens",
                "Draw a number for every token, torch.rand(ids.shape, ...), not one for a row, a column or the batch.",
                f"two of them become MASK together in {share**2:.1%} of the pairs",
                f"in {both / max(one.numel(), 1):.1%}",
            )


def _split(seen, total):
    masked, random, _ = (count / total for count in seen)
    if masked > 0.99:
        return "always MASK"
    if random < 0.005:
        return "never a random id"
    if seen[2] < 0.02 * total:
        return "none stays, or has no label where it stays"
    return "wrong shares of 80, 10 and 10"


@exercise(NAME)
@points(2)
def check_random_ids(student: Student, draw: Draw) -> None:
    """A random id is any ordinary id, each as probable, drawn for each token on its own"""
    # Several calls: one number that decides for a whole batch may be a random id's once, but not each time.
    batches = [_ids(draw, 500, N, specials=False) for _ in range(4)]
    parts = [_masked(student, draw, ids, rate=1.0) for ids in batches]
    ids, inputs, labels = (
        torch.cat(batches),
        torch.cat([part[0] for part in parts]),
        torch.cat([part[1] for part in parts]),
    )
    setting = f"{parts[0][2]}, {len(parts)} times"
    _something(labels, setting)
    random = (inputs >= ORDINARY) & (inputs != ids)
    if any(not part.any() for part in random.split(500)):
        _fail(
            "In some batches no token becomes a random id.",
            setting,
            "no random ids",
            "Of the chosen tokens a tenth become a random id, each decided on its own.",
        )
    for k in range(ORDINARY, V):
        others = random & (ids != k)  # a random id that is the token's own cannot be told from one that stayed
        became, count = int((inputs[others] == k).sum()), int(others.sum())
        if not count or not within_error_rate(became, count, 1 / (V - ORDINARY - 1)):
            _fail(
                f"Id {k} is not as frequent among the random ids as it should be.",
                setting,
                "random ids not uniform",
                f"torch.randint(low, high, ...) draws from low to high − 1, each as probable. The ordinary ids are {ORDINARY} … "
                "vocab_size − 1, and every token gets a number of its own.",
                f"1 in {V - ORDINARY - 1} of the tokens that became another id",
                f"{became} of {count}",
            )
    for one, other, what in _neighbours(torch.where(random, inputs, 0), random):
        if one.numel() and not within_error_rate(int((one == other).sum()), one.numel(), 1 / (V - ORDINARY)):
            _fail(
                f"Random ids depend on each other: {what}.",
                setting,
                "one random id for several tokens",
                "Draw an id for every token: torch.randint(..., ids.shape, ...).",
            )


@exercise(NAME)
@points(2)
def check_generator(student: Student, draw: Draw) -> None:
    """All randomness comes from `generator`: the same seed gives the same result, and the next call another one"""
    ids = _ids(draw, 40, 230)  # so long that some token is chosen, also where all rows share their places
    seed = int(draw.integers(2**40))
    setting = f"ids {tuple(ids.shape)}"

    def call(seed, times=1):
        answer = student.answer(Request(NAME, (ids, V, SeededGenerator(seed)), times=times))
        return torch.stack(expect.pair(answer.value, "inputs", "labels"))

    first, again, next_one, another = call(seed), call(seed), call(seed, times=2), call(seed + 1)
    _something(first[1], setting)
    if not torch.equal(first, again):
        _fail(
            "Two generators with the same seed give different results.",
            setting,
            "generator not used",
            "Pass generator=generator to every function that draws. Otherwise a training cannot be repeated.",
        )
    if torch.equal(first, next_one) or torch.equal(first, another):
        _fail(
            "The next call chooses the same tokens again.",
            setting,
            "the same mask every time",
            "Masking is dynamic: a sentence that comes again is masked in another way. Do not seed anything inside; draw from "
            "the generator as it comes.",
        )


@exercise(NAME)
@points(2)
@promises
def check_ids_are_not_changed(student: Student, draw: Draw) -> None:
    """The call does not change `ids`, not even a view of a larger tensor, and any number of rows is allowed"""
    for ids in (
        _ids(draw, 40, 23),
        _ids(draw, 80, 23)[::2],
        _ids(draw, 40, 23)[:, :11],
        _ids(draw, 1, 60, specials=False),
    ):
        setting = f"ids {tuple(ids.shape)}"
        seed = SeededGenerator(int(draw.integers(2**40)))
        answer = student.answer(Request(NAME, (ids, V, seed), {"rate": 0.5}))
        _, labels = expect.pair(answer.value, "inputs", "labels")
        _something(labels, setting)
        before = student.answer(Request(NAME, (ids, V, seed), {"rate": 0.5}, before=[(ids[:3, :5], V, seed)]))
        _consistent(ids, *expect.pair(before.value, "inputs", "labels"), setting)
