"""The trainings of lesson 09 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

#: The weights and the order of the batches. The sentences stay the same.
FROM_SEED = {"torch.manual_seed(SEED)": "torch.manual_seed({seed})", "seed=SEED, checkpoint": "seed={seed}, checkpoint"}

TRAININGS = (
    Repetition(
        "my_language_model, and always [MASK]",
        ("SEED, BATCH = 0, 128", "chosen_limit = lowest_loss", "def always_mask(generator)"),
        {"above the limit": "mlm_loss(logits, held_out_labels) - limit", "measured": "measured"},
        FROM_SEED,
    ),
    Repetition(
        "token vectors with BERT's 0.02",
        (
            "class BertEmbeddings",
            "class BertEncoder",
            "class MaskedLanguageModel",
            "SEED, BATCH = 0, 128",
            "chosen_limit = lowest_loss",
        ),
        {"above the limit": "mlm_loss(logits, held_out_labels) - limit", "loss at first": "history.losses[0]"},
        FROM_SEED | {"std=0.2": "std=0.02"},
    ),
    Repetition(
        "English",
        ("bert = MaskedLanguageModel(PIECES",),
        {"loss": "loss", "right": "right"},
        first="SEED = {seed}",
    ),
    Repetition(
        "translation",
        ("def with_translation(ids)",),
        {"loss beside": "beside", "limit": "limit"},
        first="SEED = {seed}",
    ),
)
