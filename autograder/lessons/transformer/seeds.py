"""What lesson 04 says of five seeds: its trainings, run again by ``autograder.authoring.seeds``."""

from autograder.checks.properties import Repetition

#: Where a cell says it for all models.
WEIGHTS = {"torch.manual_seed(0)": "torch.manual_seed({seed})"}

TRAININGS = (
    Repetition(
        "copy and reverse",
        ("def train(model, steps, batch_size=64", "def measure(model, lengths=(4, 8)", "numbers = list(range(2, 13))"),
        {"letters": "letters_right", "sequences": "sequences_right", "by length": "dict(zip(numbers, shares))"},
        WEIGHTS | {"train(model, steps=600)": "train(model, steps=600, seed={seed})"},
    ),
)
