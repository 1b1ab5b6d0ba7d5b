"""What lesson 05 says of five seeds: its trainings, run again by ``autograder.authoring.seeds``."""

from autograder.checks.properties import Repetition

TRAININGS = (
    Repetition(
        "my_captioner, with a price and without",
        ("def train_captioner(price, checkpoint)", "free, free_history = train_captioner"),
        {"measured": "measured"},
        first="SEED = {seed}",
    ),
    Repetition(
        "one vector",
        ("class OneVector",),
        {"by groups, 8 numbers and 512": "shares", "exact": "{width: exact(found) for width, found in blind.items()}"},
        {"AGAIN = False": "AGAIN = True"},
        first="SEED = {seed}",
    ),
    Repetition(
        "Transformer",
        ("class WordByWord",),
        {"exact": "exact(said)", "pointing": "pointed"},
        {"AGAIN = False": "AGAIN = True"},
        first="SEED = {seed}",
    ),
    Repetition(
        "Transformer, three times as long",
        ("class WordByWord",),
        {"exact": "exact(said)", "pointing": "pointed"},
        {"AGAIN = False": "AGAIN = True", "steps=1500": "steps=4500"},
        first="SEED = {seed}",
    ),
)
