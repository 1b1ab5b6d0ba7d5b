"""06-language-models."""

from autograder.judging.in_notebook import check_of

#: In the order of the lesson.
EXERCISES = (
    # part A: tokens
    "count_pairs",
    "merge_pair",
    "train_bpe",
    "bpe_encode",
    "bpe_decode",
    "train_bpe_fast",
    # part B: the model
    "packed",
    "GPT",
    "next_token_loss",
    "perplexity_and_bits",
    # part B: sampling
    "sample",
    "CachedGPT",
    "generate",
    # part C: two directions
    # part C: in context
    # part C: the model that is handed in
)

#: Dotted names of ready-made functions that do what an exercise asks for.
FORBIDDEN = (
    # part A
    # part B: the model that this lesson builds of the layers of lesson 03, which it may use
    "course_lib.layers.gpt",
    "course_lib.layers.models",
    # part C
)

#: What would be the whole answer to one exercise.
FORBIDDEN_IN: dict[str, tuple[str, ...]] = {
    # part A
    "train_bpe": ("tokenizers.trainers.BpeTrainer", "tokenizers.models.BPE"),
    "train_bpe_fast": ("tokenizers.trainers.BpeTrainer", "tokenizers.models.BPE"),
    "bpe_encode": ("tokenizers.trainers.BpeTrainer", "tokenizers.models.BPE"),
    "bpe_decode": ("tokenizers.trainers.BpeTrainer", "tokenizers.models.BPE"),
    # part B
    # part C
}

#: What is handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON: dict[str, tuple[str, ...]] = {
    # part A
    "train_bpe": ("count_pairs", "merge_pair"),
    "bpe_encode": ("merge_pair",),
    "train_bpe_fast": ("count_pairs", "merge_pair"),
    # part B
    "GPT": ("packed",),
    "CachedGPT": ("packed", "GPT"),
    "generate": ("sample",),
    # part C
}

#: The module that says what wrong results of this lesson look like.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
