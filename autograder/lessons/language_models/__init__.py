"""07-language-models."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    # tokens
    "count_pairs",
    "merge_pair",
    "train_bpe",
    "bpe_encode",
    "bpe_decode",
    "train_bpe_fast",
    # the model
    "packed",
    "GPT",
    "next_token_loss",
    "perplexity_and_bits",
    # sampling
    "sample",
    "CachedGPT",
    "generate",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("train_bpe_fast", "CachedGPT", "generate")

#: Dotted names of ready-made functions that do what an exercise asks for.
FORBIDDEN = (
    # the model that this lesson builds of the layers of lessons 03 and 04, which it may use
    "course_lib.layers.gpt",
    "course_lib.layers.models",
    "course_lib.training.next_token",  # the loss, ready-made for lesson 08
)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON: dict[str, tuple[str, ...]] = {
    "train_bpe": ("count_pairs", "merge_pair"),
    "bpe_encode": ("merge_pair",),
    "train_bpe_fast": ("count_pairs", "merge_pair"),
    "GPT": ("packed",),
    "CachedGPT": ("packed", "GPT"),
    "generate": ("sample",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
