"""One attack on each defence. In test_attacks.py honest neighbours are graded beside others, by the command.

That the clock is outside, and that time, memory and processes are limited, is in test_sandbox.py: these attacks take longest.
"""

import pytest
from known import COURSE

from autograder.authoring import attacks

pytestmark = pytest.mark.sandbox

#: What each defends: a case that it stops.
DEFENCES = {
    "checks run outside": "check_replaced",
    "a score is not read from a reply": "score_in_the_reply",
    "a reply cannot be written in advance": "reply_forged",
    "only plain tensors are decoded": "pickle_bomb",
    "comparisons happen outside": "equal_to_everything",
    "inputs are fresh": "results_remembered",
    "an answer is not kept between calls": "hard_coded",
    "cells are taken from the release": "test_edited",
    "metadata is rebuilt": "tag_on_the_tests",
    "outputs are made again": "outputs_forged",
    "blocked when called": "ready_made_by_getattr",
    "blocked below Python": "ready_made_below",
    "blocked in a compiled text": "ready_made_in_torchscript",
    "what was replaced stays so": "kernels_put_back_from_memory",
    "the course's own layers are blocked": "ready_made_of_the_course",
    "other libraries are not there": "ready_made_softmax_of_naive_bayes",
    "other backends are blocked": "ready_made_in_another_backend",
    "no references inside": "references_imported",
    "no course folder inside": "files_searched",
    "no links out of the folder": "link_to_the_gradebook",
    "the gradebook is out of reach": "gradebook_written",
    "no network": "network",
    "nothing outlives its session": "daemon_left_behind",
    "a crash ends one call": "segmentation_fault",
    "output is bounded": "output_flood",
}


def test_no_defence_lets_its_attack_through(tmp_path):
    cases = [case for case in attacks.read_cases(COURSE) if case.name in DEFENCES.values()]
    assert len(cases) == len(DEFENCES)
    [first] = {case.lesson.assignment for case in cases}
    tally = attacks.attack_workers(COURSE, tmp_path, {first: cases}, workers=2, gradebook=True)
    assert tally.good, str(tally)
    assert tally.tried == len(DEFENCES)
