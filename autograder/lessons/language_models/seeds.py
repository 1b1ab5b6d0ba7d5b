"""The trainings of lesson 07 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

#: Where a cell says it for all models.
WEIGHTS = {"torch.manual_seed(0)": "torch.manual_seed({seed})"}

TRAININGS = (
    Repetition(
        "three shifts of the target",
        ("for shift in (0, 1, 2):",),
        {"loss of the last 20 steps": "{name: sum(values[-20:]) / 20 for name, values in losses.items()}"},
        WEIGHTS,
    ),
    Repetition(
        "English",
        ("english_gpt = GPT(",),
        {"bits per byte": "bits", "perplexity": "perplexity"},
        WEIGHTS | {"train=own_train(), seed=0": "train=own_train(), seed={seed}"},
    ),
)
