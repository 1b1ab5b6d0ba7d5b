"""The trainings of lesson 08 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

#: Where a cell says it for all models.
WEIGHTS = {"torch.manual_seed(0)": "torch.manual_seed({seed})"}

TRAININGS = (
    Repetition(
        "ELMo and the trap",
        ("def both_ways(model, ids)", "other = ids.scatter(1, place", "def tagger_accuracy(layer=None)"),
        {
            "loss at the end": "{name: curve[-1] for name, curve in losses.items()}",
            "lowest possible": "limit",
            "loss of a word": "{str(key): torch.cat(values).mean() for key, values in taken.items()}",
            "tags": "shares",
            "mixture": "mixture",
        },
        WEIGHTS | {"validate_every=60, seed=0": "validate_every=60, seed={seed}"},
    ),
    Repetition(
        "in context",
        ("LEARNER_SEED = 0", "def scores_of(model)", "shots = (0, 1, 2, 4"),
        {
            "times the best": "{name: times_the_best(model) for name, model in learners.items()}",
            "scores": "scores",
            "measured": "measured",
            "on the previous token": "previous",
            "without one head": "without",
            "right after n examples": "right",
            "while it is trained": "{name: run.validation for name, run in runs.items()}",
        },
        {"LEARNER_SEED = 0": "LEARNER_SEED = {seed}"},
    ),
    Repetition(
        "my_gpt",
        ("GPT_SEED, BATCH = 0, 128",),
        {"above the entropy": "above(gpt.cpu(), unseen)"},
        {"GPT_SEED, BATCH = 0, 128": "GPT_SEED, BATCH = {seed}, 128"},
    ),
    Repetition(
        "fine-tuned",
        ("class SubjectClassifier",),
        {"right subjects": "tuned"},
        WEIGHTS | {"seed=11)": "seed=11 + 100 * {seed})", "seed=0, device": "seed={seed}, device"},
    ),
)
