"""The fast tests stay fast: whoever changes a line gets an answer from ``make test`` in minutes."""

import os

import pytest
from durations import minutes

#: Seconds of processor time for `make test`. It may be exceeded by a quarter before a test fails; by a half in CI, where others
#: share the machine: there the same tests once took 1.4 times what a calibration had promised.
BUDGET = 11 * 60
MARGIN = 1.5 if "CI" in os.environ else 1.25
#: Seconds that each work of the calibration takes on the machine for which the budget was set. A slower or busier one has more.
CALIBRATION = {"loop": 0.183, "import": 1.83}


@pytest.mark.slow
def test_the_fast_tests_are_within_their_budget(pytestconfig):
    last = pytestconfig.cache.get("durations/fast", None)
    if last is None and "CI" not in os.environ:
        pytest.skip("make test, which writes its durations, has not passed here yet")
    assert last is not None, "expected `make test` to have passed before `make test-full`: it writes its durations"
    dearest = sorted(last["tests"].items(), key=lambda item: -item[1][1])[:15]
    taken = last.get("calibrations", CALIBRATION)
    slower = max(1.0, *(taken[work] / seconds for work, seconds in CALIBRATION.items()))
    assert last["processor"] <= MARGIN * BUDGET * slower, "\n".join(
        [
            f"make test takes {minutes(last['processor'])} of processor time, {minutes(BUDGET * slower)} is its budget here.",
            f"The calibration took {taken} s, and {CALIBRATION} s where the budget was set.",
            "Make these faster, or mark what repeats others as slow:",
            *(f"{processor:6.1f} s  {test}" for test, (_, processor) in dearest),
        ]
    )
