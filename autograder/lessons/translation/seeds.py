"""The trainings of lesson 05 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

TRAININGS = (
    Repetition(
        "my_translator",
        ("translator = my_translator()", "def exact(pairs, texts)", "def error_rate(model, pairs"),
        {
            "gap": "history.validation[-1]",
            "exact": "exact(held_out, texts)",
            "alignment": "error_rate(translator, held_out)",
        },
        first="SEED = {seed}",
    ),
    Repetition(
        "three generations",
        ("translator = my_translator()", "class OneVector"),
        {
            "smallest gap": "{name: min(record.values()) for name, record in gaps.items()}",
            "exact, by length": "shares",
            "alignment": "error_rate(models['attention'], held_out)",
        },
        {"AGAIN = False": "AGAIN = True", "seed=number)": "seed=10 * {seed} + number)"},
        first="SEED = {seed}",
    ),
    Repetition(
        "beams",
        ("unsure = OneVector(",),
        {"BLEU": "scores", "length": "lengths"},
        first="SEED = {seed}",
    ),
)
