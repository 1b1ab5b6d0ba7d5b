"""The trainings of lesson 10 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

TRAININGS = (
    Repetition(
        "few labels",
        ("def accuracy_after(task",),
        {"right, by size and seed": "every"},
        {"range(3)": "range(5)", "shares[task, name] = ": "every[task, name] = found; shares[task, name] = "},
        first="every = {}",
        seeds=(0,),
    ),
    Repetition(
        "a question and its answer",
        ("def span_loss(model",),
        {"right answers, by seed": "right_spans"},
        {"range(3)": "range(5)"},
        seeds=(0,),
    ),
)
