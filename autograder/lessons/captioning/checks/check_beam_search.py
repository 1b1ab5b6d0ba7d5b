"""beam_search(decoder, features, k, max_length=20)."""

import math

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Student,
    exercise,
    expect,
    inputs,
    no_return,
    points,
    promises,
)
from autograder.lessons.captioning.checks import tables
from autograder.lessons.captioning.checks.tables import NEVER
from autograder.lessons.captioning.references import END, PAD, START

NAME = "beam_search"
V, N = 11, 3
#: Scores may have been added up in float32.
ROUNDING = 1e-4
#: A search that draws its words at random finds the best caption now and then, but not this often.
ROUNDS = 5


def _found(value, setting):
    """Return (caption as a list, score as a float), or fail."""
    if value is None:
        raise no_return()
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise CheckFailure(
            "type",
            "Two results are expected, (caption, score).",
            setting=setting,
            yours=f"a {type(value).__name__}",
            received=type(value).__name__,
            cause="only one result returned",
            hint="Return the best caption and the mean of the log-probabilities of its words.",
        )
    caption, score = expect.tensor(value[0], "the caption"), value[1]
    if caption.dtype.is_floating_point or caption.dtype.is_complex or caption.dim() != 1:
        raise CheckFailure(
            "shape",
            "The caption should be a vector of ids.",
            expected="shape (L,), torch.int64",
            setting=setting,
            yours=f"shape {tuple(caption.shape)}, {caption.dtype}",
            received=f"{list(caption.shape)} {caption.dtype}",
            cause="caption of another shape",
            hint="One picture, one caption: (L,), without an axis for the batch.",
        )
    plain = isinstance(score, float | int) and not isinstance(score, bool)
    if not plain and not (isinstance(score, Tensor) and score.shape == () and score.is_floating_point()):
        came = f"a tensor of shape {tuple(score.shape)}" if isinstance(score, Tensor) else f"a {type(score).__name__}"
        raise CheckFailure(
            "type",
            "The score should be one number.",
            setting=setting,
            yours=came,
            received=came,
            expected="a float, or a tensor of shape ()",
            cause="score is not one number",
            hint="It is the score of the one caption that is returned.",
        )
    return caption.tolist(), float(score)


def _received(caption, score):
    return torch.tensor([*caption, score], dtype=torch.float64)


def _differs(message, want, got, setting, hint="", cause=""):
    """The failure of a caption and a score that should be others."""
    caption, score = got
    return CheckFailure(
        "value",
        message,
        setting=f"{setting}; START = {START}, END = {END}",
        expected=f"{list(want[0])}, score {want[1]:.4f}",
        yours=f"{caption}, score {score:.4f}",
        received=_received(*got),
        wanted=_received(*want),
        hint=hint,
        cause=cause,
    )


def _ask(student: Student, table, features, k, setting, **options):
    return _found(student.beam_search(tables.decoder(table), features, k, **options), setting)


def _mixed(student: Student, table, features, k, got, options):
    """Return what to say of a score that with k = 1 is that of the caption, and with this k is not; else two empty texts."""
    added, power = features[0].mean(0), options.get("power", 1.0)

    def own(found):
        words, score = found
        inside = bool(words) and all(0 <= word < table.shape[-1] for word in words)
        mean = _score(table, added, words) if inside else math.inf
        return inside and abs(mean * len(words) ** (1 - power) - score) < ROUNDING

    if k == 1 or own(got) or not own(_ask(student, table, features, 1, "k = 1", **options)):
        return "", ""
    return "hypotheses mixed", (
        f"With k = 1 the score is that of the caption, and with k = {k} it is not: entries of different hypotheses get mixed. "
        "The words of a hypothesis, how many they are, their sum and its state belong together. Look at the row from which each "
        "of them is taken."
    )


def _agree(
    student: Student,
    table,
    features,
    k,
    want,
    setting,
    message="This is not the best caption.",
    *,
    scored=False,
    **options,
):
    """Compare the captions, and the scores too if ``scored``: otherwise the score has a row of its own."""
    got = _ask(student, table, features, k, setting, **options)
    if got[0] == list(want[0]) and (not scored or abs(got[1] - want[1]) < ROUNDING):
        return
    cause = hint = ""
    if got[0] == list(want[0]):
        message = "The caption is right, its score is not."
    else:
        cause, hint = _mixed(student, table, features, k, got, options)
        if list(want[0][-1:]) == [END] and got[0][-1:] != [END]:
            message = "This caption is not finished, and another one is."
    failure = _differs(message, want, got, setting, hint, cause)
    if any(_ask(student, table, features, k, setting, **options) != got for _ in range(5)):
        failure.kind, failure.received, failure.cause = "random", "random", "another result each time"
        failure.hint = "The same call gives different results each time. Nothing in a beam search is drawn at random."
    raise failure


def _clear_ends(draw: Draw, length):
    """Return (table, features, what they add, caption): greedy decoding ends after ``length`` words, END is nowhere else."""
    while True:
        table = tables.spaced_table(draw, V)
        table[..., END] = NEVER
        features, means = tables.whole_features(draw, 1, N, V)
        path = tables.greedy(table, means[0], length - 1)
        pairs = list(zip([START, START, *path], [START, *path], strict=False))
        if pairs[-1] not in pairs[:-1]:
            break
    table[(*pairs[-1], END)] = -NEVER
    return table, features, means[0], [*path, END]


def _score(table, added, caption):
    return tables.mean(tables.log_probabilities(table, added, caption))


@exercise(NAME)
@points(1)
def check_k_1_is_greedy(student: Student, draw: Draw) -> None:
    """With k = 1 it takes the most probable word each time; START is not in the caption, END is"""
    for length in (1, 2, 3, 6):
        table, features, added, caption = _clear_ends(draw, length)
        want = (caption, _score(table, added, caption))
        _agree(student, table, features, 1, want, f"k = 1, V = {V}", "This is not what greedy decoding finds.")
    table[..., END] = NEVER
    caption = tables.greedy(table, added, 17)
    setting = "k = 1, max_length = 17, no END"
    message = "This is not what greedy decoding finds."
    _agree(student, table, features, 1, (caption, _score(table, added, caption)), setting, message, max_length=17)


@exercise(NAME)
@points(1)
def check_everything_kept(student: Student, draw: Draw) -> None:
    """When k is so large that nothing is ever dropped, it finds the caption with the highest mean log-probability of all"""
    for vocabulary, most in (*[(5, 3)] * 8, *[(6, 3)] * 4, (6, 4)):
        table, features, *want = tables.exhaustive_case(draw, vocabulary, N, most)
        k = vocabulary**most
        _agree(student, table, features, k, want, f"V = {vocabulary}, max_length = {most}, k = {k}", max_length=most)


def _early_path(draw: Draw, k):
    """The first word of the best caption is the k-th probable; the more probable ones lead to where all is improbable."""
    *others, good, middle, x, y, z = tables.some_words(draw, V, k + 4)
    first = {word: 0.3 + 0.1 * n for n, word in enumerate(others)} | {good: 0.0}
    script = {(START, START): first, (START, good): {middle: 5.0}, (good, middle): {END: 9.0}}
    for word in others:
        script |= {(START, word): {middle: 0.3, x: 0.0, y: -0.1, z: 0.1}}
        script |= {(word, last): {END: 9.0} for last in (middle, x, y, z)}
    return tables.scripted_table(V, script), [good, middle, END]


def _late_path(draw: Draw, k):
    """The first word is clear; the best caption goes on with the k-th probable second one."""
    first, unlikely, *others, good, x, y, z = tables.some_words(draw, V, k + 5)
    second = {word: 0.3 + 0.1 * n for n, word in enumerate(others)} | {good: 0.0}
    script = {
        (START, START): {first: 0.0, unlikely: -9.0},
        (START, unlikely): {z: 0.0},
        (START, first): second,
        (first, good): {x: 7.0},
        (good, x): {END: 9.0},
        (unlikely, z): {END: 9.0},
    }
    for word in others:
        script |= {(first, word): {x: 0.3, y: 0.0, z: 0.1}} | {(word, last): {END: 9.0} for last in (x, y, z)}
    return tables.scripted_table(V, script), [first, good, x, END]


@exercise(NAME)
@points(1)
def check_better_than_greedy(student: Student, draw: Draw) -> None:
    """With k = 2 or 3 it finds a caption that begins less promisingly than others, and turns out better"""
    features = torch.zeros(1, N, V, dtype=torch.float64)
    for k in (2, 3) * ROUNDS:
        for path in (_early_path, _late_path):
            table, caption = path(draw, k)
            for number in (k, k + 1) if k == 2 else (k,):
                want = (caption, _score(table, features[0, 0], caption))
                setting = f"k = {number}, V = {V}, greedy decoding finds {tables.greedy(table, features[0, 0], 9)}"
                _agree(student, table, features, number, want, setting, max_length=6)


def _crossing_paths(draw: Draw):
    """Return (table, caption): a before b, then b c before a c. The two change places, and END follows a c alone."""
    a, b, c, x, y, z = tables.some_words(draw, V, 6)
    spread = {y: 0.3, z: 0.0, x: -0.1, a: 0.1}
    script = {(START, START): {a: 0.3, b: 0.0}, (START, a): {c: 0.2, x: 0.0}, (START, b): {c: 5.0}}
    script |= {(a, c): {END: 9.0}, (a, x): {END: 9.0}, (b, c): spread}
    script |= {(c, word): {END: 9.0} for word in spread}
    return tables.scripted_table(V, script), [a, c, END]


@exercise(NAME)
@points(1)
def check_state_follows(student: Student, draw: Draw) -> None:
    """Every hypothesis goes on with its own state, also when its place in the beam has changed"""
    features = torch.zeros(1, N, V, dtype=torch.float64)
    for k in (2, 3) * ROUNDS:
        table, caption = _crossing_paths(draw)
        want = (caption, _score(table, features[0, 0], caption))
        _agree(student, table, features, k, want, f"k = {k}", max_length=6)


@exercise(NAME)
@points(1)
def check_only_k_are_kept(student: Student, draw: Draw) -> None:
    """No more than k hypotheses go on, whichever they come from: what lies behind the next ones is not found"""
    features = torch.zeros(1, N, V, dtype=torch.float64)
    for _ in range(ROUNDS):
        a, b, c, d, e, f, x, y = tables.some_words(draw, V, 8)
        spread = {x: 0.3, y: 0.0, a: 0.1, b: -0.1}
        # After two words: a c 0.33, a d 0.27, b e 0.21, b f 0.19. Only b e would end at once.
        script = {(START, START): {a: 0.4, b: 0.0}, (START, a): {c: 0.2, d: 0.0}, (START, b): {e: 0.1, f: 0.0}}
        script |= {(a, c): spread, (a, d): spread, (b, e): {END: 9.0}, (b, f): {END: 9.0}}
        script |= {(last, word): {END: 9.0} for last in (c, d) for word in spread}
        table, caption = tables.scripted_table(V, script), [a, c, x, END]
        want = (caption, _score(table, features[0, 0], caption))
        message = "This caption cannot be found when only the best k = 2 hypotheses are kept."
        _agree(student, table, features, 2, want, "k = 2", message, max_length=6)


@exercise(NAME)
@points(1)
def check_what_has_ended(student: Student, draw: Draw) -> None:
    """A finished sentence takes no place from the others and does not end the search: the best k unfinished ones go on"""
    features = torch.zeros(1, N, V, dtype=torch.float64)
    table, caption = _place_regained(draw)
    want = (caption, _score(table, features[0, 0], caption))
    _agree(student, table, features, 2, want, "k = 2", max_length=7)
    for mistake in ("shrinks", "stops", "keeps", "unfinished", "refilled"):
        for k in (2, 3):
            table, want = _case_against(draw, k, mistake)
            _agree(student, table, features, k, want, f"k = {k}", max_length=7)


def _place_regained(draw: Draw):
    """Return (table, caption): END at once, improbable, is one of k = 2. Then both places are needed, by words that are more
    probable than it: one that has ended gives its place back even where it competes, but not where k becomes smaller.
    """
    a, c, d, x, y, z = tables.some_words(draw, V, 6)
    spread = {x: 0.3, y: 0.0, z: 0.1}
    script = {(START, START): {a: 1.4, END: 0.0}, (START, a): {c: 0.1, d: 0.0}, (a, d): {END: 9.0}, (a, c): spread}
    script |= {(c, word): {END: 9.0} for word in spread}
    return tables.scripted_table(V, script), [a, d, END]


def _case_against(draw: Draw, k, mistake):
    """Return (table, (caption, score)) where a known mistake finds another caption.

    Small differences change nothing, and neither does a word more or less: max_length has a row of its own.
    """
    while True:
        table = tables.spaced_table(draw, V)
        table[..., END] += 1.0
        want = tables.beam(table, k, 7)
        if any(tables.beam(table, k, most)[0] != want[0] for most in (6, 8)):
            continue
        near = (tables.beam(table + 1e-3 * draw.normal(*table.shape), k, 7)[0] for _ in range(3))
        if tables.beam(table, k, 7, **{mistake: True})[0] != want[0] and all(words == want[0] for words in near):
            return table, want


def _long_way(draw: Draw):
    """Return (table, words): END at once has a mean of about -0.4, the long way over four words one of about -0.23.

    What would come after that END is as probable as can be: nothing comes after it.
    """
    a, b, c, d = words = tables.some_words(draw, V, 4)
    script = {(START, START): {END: 0.0, a: -0.7}, (START, END): {a: 9.0}, (END, a): {b: 9.0}}
    script |= {before: {after: 9.0} for before, after in _chain(START, a, b, c, d, END)}
    return tables.scripted_table(V, script), words


def _chain(*words):
    """Return the pairs of neighbours, each with the word after it."""
    return [((words[t], words[t + 1]), words[t + 2]) for t in range(len(words) - 2)]


def _short_way(draw: Draw):
    """Return a table in which the way over other words is improbable at every step, and END at once wins."""
    a, b, c, d = tables.some_words(draw, V, 4)
    script = {(START, START): {END: 0.0, a: -0.7}, (START, a): {b: 9.0}, (c, d): {END: 9.0}}
    script |= {(a, b): {c: 0.0, d: -0.1, a: -0.2}, (b, c): {d: 0.0, a: -0.1, c: -0.2}}
    script |= {(b, d): {END: 9.0}, (b, a): {END: 9.0}}
    return tables.scripted_table(V, script)


@exercise(NAME)
@points(1)
def check_long_and_short(student: Student, draw: Draw) -> None:
    """The finished caption with the highest mean wins, though a shorter one has the higher sum, in whatever order they end"""
    features = torch.zeros(1, N, V, dtype=torch.float64)
    for k in (2, 3, 5):
        table, words = _long_way(draw) if k == 2 else (_short_way(draw), [])
        caption = [*words, END]
        want = (caption, _score(table, features[0, 0], caption))
        _agree(student, table, features, k, want, f"k = {k}", max_length=5)


def _own_score(student: Student, table, features, k, most):
    """Whatever caption is returned, its score has to be the mean over its words."""
    caption, score = _ask(student, table, features, k, f"k = {k}", max_length=most)
    setting = f"k = {k}, max_length = {most}"
    inside = all(0 <= word < V for word in caption)
    whole = END not in caption[:-1] and (caption[-1:] == [END] or len(caption) == most) and PAD not in caption
    if not inside or not whole or START in caption:
        raise CheckFailure(
            "caption",
            "This is not one whole caption.",
            setting=f"{setting}; END = {END}",
            received=_received(caption, 0.0),
            expected="words without START, with END at the end and nowhere else, or max_length words without an END",
            yours=str(caption),
        )
    want = _score(table, features[0].mean(0), caption)
    if not abs(score - want) < ROUNDING:
        cause, hint = _mixed(student, table, features, k, (caption, score), {"max_length": most})
        message = "The score is not that of the caption."
        raise _differs(message, (caption, want), (caption, score), setting, hint, cause)


@exercise(NAME)
@points(1)
def check_score(student: Student, draw: Draw) -> None:
    """The score is the mean log-probability of the words of the very caption that is returned, END among them"""
    for length in (2, 4):
        table, features, _, _ = _clear_ends(draw, length)
        _own_score(student, table, features, 1, 6)
    nothing = torch.zeros(1, N, V, dtype=torch.float64)
    for k in (2, 3):
        _own_score(student, _crossing_paths(draw)[0], nothing, k, 6)
    _own_score(student, _long_way(draw)[0], nothing, 2, 6)
    _own_score(student, _short_way(draw), nothing, 3, 5)
    for k, most in ((2, 7), (3, 7), (2, 4), (3, 5)):
        _own_score(student, tables.spaced_table(draw, V), tables.whole_features(draw, 1, N, V)[0], k, most)
    for k, most in ((1, 3), (2, 4), (3, 5)):  # nothing ends
        table = tables.spaced_table(draw, V)
        table[..., END] = NEVER - 9
        _own_score(student, table, tables.whole_features(draw, 1, N, V)[0], k, most)


@exercise(NAME)
@points(1)
def check_nothing_finished(student: Student, draw: Draw) -> None:
    """When nothing has ended after max_length words, the best unfinished caption; a finished one comes before it, however bad"""
    for k, most in ((1, 1), (2, 2), (3, 4), (1, None)):
        table, features, added, _ = _clear_ends(draw, 2)
        table[..., END] = NEVER - 9
        # a word that leads on to itself and is far more probable than all others
        [again] = tables.some_words(draw, V, 1)
        # and more so elsewhere: who ranks hypotheses by their last word alone begins with another word
        table[..., again] += 25
        table[START, again, again] -= 5
        table[again, again, again] -= 5
        caption = [again] * (most or 20)
        options = {"max_length": most} if most else {}
        want = (caption, _score(table, added, caption))
        _agree(student, table, features, k, want, f"k = {k}, max_length {most or 'left out (20)'}, no END", **options)
    [word] = tables.some_words(draw, V, 1)
    script = {(START, START): {word: 0.0, END: -3.0}, (START, word): {word: 9.0}, (word, word): {word: 9.0}}
    table, none = tables.scripted_table(V, script), torch.zeros(V, dtype=torch.float64)
    setting = "k = 2, max_length = 6: [END] is improbable, and the other hypothesis never ends"
    want = ([END], _score(table, none, [END]))
    _agree(student, table, none.expand(1, N, V), 2, want, setting, max_length=6)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Another picture has another caption; float32 and earlier calls change nothing, and the features stay as they are"""
    a, b, x = tables.some_words(draw, V, 3)
    ends = {(START, word): {x: 9.0} for word in (a, b)} | {(word, x): {END: 9.0} for word in (a, b)}
    table = tables.scripted_table(V, {(START, START): {a: 0.0, b: 0.0}} | ends)
    features = 0.1 * draw.normal(1, N, V).clamp(-1, 1)
    other = features.clone()
    features[..., a] += 2.0
    other[..., b] += 2.0
    for dtype in (torch.float64, torch.float32):
        for picture, first in ((features, a), (other, b)):
            caption = [first, x, END]
            added = picture.mean(1)[0]
            want = (caption, _score(table, added, caption))
            given = picture.to(dtype).transpose(1, 2).contiguous().transpose(1, 2)
            _agree(student, table.to(dtype), given, 2, want, f"k = 2, {dtype}", max_length=5)
    decoder = tables.decoder(table)
    want = _ask(student, table, features, 2, "k = 2", max_length=5)
    answer = student.answer(Request(NAME, (decoder, features, 2, 5), before=((decoder, other, 2, 5),)))
    caption, score = _found(answer.value, "")
    if caption != want[0] or not math.isclose(score, want[1], abs_tol=ROUNDING):
        failure = _differs(
            "After a call with another picture, the result is different.",
            want,
            (caption, score),
            "k = 2",
            hint="Something computed in an earlier call is kept and used again.",
            cause="remembers earlier calls",
        )
        failure.kind = "memory"
        raise failure
    inputs.id_tensor(expect.tensor(answer.value[0], "the caption"), "The caption")
