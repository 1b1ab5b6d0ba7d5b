"""beam_search(decoder, memory, k, max_length=20, power=1.0)."""

import torch

from autograder.checks import Draw, StandIn, Student, exercise, points, promises
from autograder.lessons.captioning.checks import check_beam_search as shared
from autograder.lessons.captioning.checks import tables
from autograder.lessons.captioning.references import END, START
from autograder.lessons.translation.checks.searches import worded_as_translation

NAME = "beam_search"
V, N = shared.V, shared.N


@exercise(NAME)
@points(2)
def check_k_1_is_greedy(student: Student, draw: Draw) -> None:
    """With k = 1 it takes the most probable word each time; START is not in the translation, END is"""
    with worded_as_translation():
        shared.check_k_1_is_greedy(student, draw)


@exercise(NAME)
@points(2)
def check_everything_kept(student: Student, draw: Draw) -> None:
    """When k is so large that nothing is ever dropped, it finds the translation with the highest mean log-probability of all"""
    with worded_as_translation():
        shared.check_everything_kept(student, draw)


@exercise(NAME)
@points(1)
def check_better_than_greedy(student: Student, draw: Draw) -> None:
    """With k = 2 or 3 it finds a translation that begins less promisingly than others, and turns out better"""
    with worded_as_translation():
        shared.check_better_than_greedy(student, draw)


@exercise(NAME)
@points(1)
def check_state_follows(student: Student, draw: Draw) -> None:
    """Every hypothesis goes on with its own state, also when its place in the beam has changed"""
    with worded_as_translation():
        shared.check_state_follows(student, draw)
        table, words = shared._crossing_paths(draw)
        nothing = torch.zeros(1, N, V, dtype=torch.float64)
        want = (words, shared._score(table, nothing[0, 0], words))
        decoder = StandIn("course_lib.layers.TableDecoder", {"table": table, "grows": True})
        got = shared._found(student.beam_search(decoder, nothing, 2, max_length=6), "a decoder whose state grows")
        if got[0] != words:
            raise shared._differs("This is not the best translation.", want, got, "k = 2, a decoder whose state grows")


@exercise(NAME)
@points(1)
def check_only_k_are_kept(student: Student, draw: Draw) -> None:
    """No more than k hypotheses go on, whichever they come from: what lies behind the next ones is not found"""
    with worded_as_translation():
        shared.check_only_k_are_kept(student, draw)


@exercise(NAME)
@points(1)
def check_what_has_ended(student: Student, draw: Draw) -> None:
    """A finished sentence takes no place from the others and does not end the search: the best k unfinished ones go on"""
    with worded_as_translation():
        shared.check_what_has_ended(student, draw)


@exercise(NAME)
@points(1)
def check_long_and_short(student: Student, draw: Draw) -> None:
    """With power 1 the highest mean wins, though a shorter translation has the higher sum; which ended first does not matter"""
    with worded_as_translation():
        shared.check_long_and_short(student, draw)


@exercise(NAME)
@points(3)
def check_power(student: Student, draw: Draw) -> None:
    """The score is the sum divided by L ** power: with power 0 the most probable translation wins, with 1 the highest mean"""
    nothing = torch.zeros(1, N, V, dtype=torch.float64)
    for k in (2, 3):
        table, words = shared._long_way(draw)
        long = [*words, END]
        # END at once: log ½ or so; the long way: less, over five words.
        sums = {tuple(text): sum(tables.log_probabilities(table, nothing[0, 0], text)) for text in (long, [END])}
        for power in (0.0, 0.05, 0.5, 1.0, 2.0):
            scores = {text: total / len(text) ** power for text, total in sums.items()}
            best = max(scores, key=lambda text: scores[text])
            with worded_as_translation():
                want = (list(best), scores[best])
                setting, options = f"k = {k}, power = {power}", {"max_length": 6, "power": power, "scored": True}
                shared._agree(student, table, nothing, k, want, setting, **options)
    # Another word is probable, too: the sum of certain words is 0, whatever divides it.
    word, other = tables.some_words(draw, V, 2)
    script = {pair: {word: 1.0, other: 0.5} for pair in ((START, START), (START, word), (word, word))}
    table = tables.scripted_table(V, script)
    table[..., END] = tables.NEVER
    with worded_as_translation():
        for power in (0.0, 0.5):
            text = [word] * 4
            want = (text, sum(tables.log_probabilities(table, nothing[0, 0], text)) / 4**power)
            setting = f"k = 1, power = {power}, nothing ends"
            shared._agree(student, table, nothing, 1, want, setting, max_length=4, power=power, scored=True)


@exercise(NAME)
@points(1)
def check_score(student: Student, draw: Draw) -> None:
    """The score is that of the very translation that is returned, END among its words"""
    with worded_as_translation():
        shared.check_score(student, draw)


@exercise(NAME)
@points(1)
def check_nothing_finished(student: Student, draw: Draw) -> None:
    """When nothing has ended after max_length words, the best unfinished one; a finished one comes before it, however bad"""
    with worded_as_translation():
        shared.check_nothing_finished(student, draw)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Another sentence has another translation; float32 and earlier calls change nothing, and the memory stays as it is"""
    with worded_as_translation():
        shared.check_same_input_same_output(student, draw)
