"""The trainings of lesson 06 that ``autograder.authoring.seeds`` repeats with five seeds."""

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
        {"by groups": "shares", "exact": "{name: exact(found) for name, found in blind.items()}"},
        {"AGAIN = False": "AGAIN = True"},
        first="SEED = {seed}",
    ),
    Repetition(
        "one vector, a sum over the cells",
        ("class OneVector",),
        {"by groups": "shares", "exact": "{name: exact(found) for name, found in blind.items()}"},
        {
            "AGAIN = False": "AGAIN = True",
            "self.see(features).mean(": "self.see(features).sum(",
            "learning_rate=1e-2": "learning_rate=3e-3",
        },
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
        "Transformer, with the mean of all cells beside each",
        ("class WordByWord",),
        {"exact": "exact(said)", '"a" for "two"': 'slips["two", "a"]'},
        {
            "AGAIN = False": "AGAIN = True",
            "(len(vocabulary), 32)": "(len(vocabulary), 64)",
            "draw_batch, steps": "draw_with_mean, steps",
            "cells)\n": "with_mean(cells))\n",
        },
        first="""SEED = {seed}
def with_mean(cells):
    return torch.cat((cells, 10 * cells.mean(dim=1, keepdim=True).expand_as(cells)), dim=2)
def draw_with_mean(generator):
    cells, words = draw_batch(generator)
    return with_mean(cells), words
""",
    ),
    Repetition(
        "Transformer, three times as long",
        ("class WordByWord",),
        {"exact": "exact(said)", "pointing": "pointed"},
        {"AGAIN = False": "AGAIN = True", "steps=1500": "steps=4500"},
        first="SEED = {seed}",
    ),
)
