"""The trainings of lesson 11 that ``autograder.authoring.seeds`` repeats with five seeds."""

from autograder.checks.properties import Repetition

#: Where a cell says it for all models.
WEIGHTS = {"torch.manual_seed(0)": "torch.manual_seed({seed})"}

#: A ViT that is trained in its place, for %s steps.
TRAINED = (
    "data = draw_colour_digits(20_000, {seed}, size=12, variation=0.5); torch.manual_seed({seed}); "
    "old = VisionTransformer(WIDE); train_on(old, data, %s, {seed})"
)

TRAININGS = (
    Repetition(
        "my_vit, and without positions",
        ("SEED, BATCH = 0, 64", "held_out = draw_colour_digits(None, seed=7", "bag, _ = train_vit("),
        {"measured": "measured"},
        {"SEED, BATCH = 0, 64": "SEED, BATCH = {seed}, 64"},
    ),
    Repetition(
        "anywhere",
        ("class ConvNet(nn.Module)",),
        {"read right": "found"},
        {"RUN = 2": "RUN = {seed}"},
    ),
    Repetition(
        "the grid",
        ("def by_steps(",),
        {"similarity, 1 to 4 steps apart": "alike"},
        WEIGHTS
        | {
            "(20_000, 0, size": "(20_000, {seed}, size",
            "(20_000, 0, var": "(20_000, {seed}, var",
            "pictures, STEPS)": "pictures, STEPS, {seed})",
        },
    ),
    Repetition(
        "another resolution",
        ("larger = draw_colour_digits(1000, seed=98",),
        {"at once": "at_once", "later": "later", "as trained": "accuracy(old, anywhere.images, anywhere.labels)"},
        WEIGHTS
        | {'old = kept["ViT", 20_000]': TRAINED % "STEPS", "learning_rate=1e-3)": "learning_rate=1e-3, seed={seed})"},
    ),
    Repetition(
        "shifted windows",
        ("class Neighbours(nn.Module)",),
        {"neighbours named": "named"},
        WEIGHTS | {'warmup=20, device="cpu"': 'warmup=20, seed={seed}, device="cpu"'},
    ),
    Repetition(
        "a teacher",
        ("teacher = kept[",),
        {"read right": "(distilled, accuracy(control, anywhere.images, anywhere.labels))"},
        WEIGHTS
        | {
            "taught, STEPS)": "taught, STEPS, {seed})",
            "others, right)), STEPS)": "others, right)), STEPS, {seed})",
        },
    ),
    Repetition(
        "hidden patches",
        ("class MaskedAutoencoder", "def encoded(model, images)"),
        {"error of a hidden pixel": "errors", "read with 100 labels": "probes"},
        WEIGHTS | {'warmup=50, device="cpu"': 'warmup=50, seed={seed}, device="cpu"'},
    ),
)
