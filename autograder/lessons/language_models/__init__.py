"""06-language-models."""

from autograder.judging.in_notebook import check_of

#: In the order of the lesson.
EXERCISES = (
    # part A: tokens
    # part B: the model
    # part B: sampling
    # part C: two directions
    "BidirectionalLanguageModel",
    "scalar_mix",
    # part C: in context
    "predict_by_counts",
    "my_learner",
    "induction_score",
    # part C: the model that is handed in
    "next_token_limit",
    "my_gpt",
)

#: Dotted names of ready-made functions that do what an exercise asks for.
FORBIDDEN = (
    # part A
    # part B
    # part C
)

#: What would be the whole answer to one exercise.
FORBIDDEN_IN: dict[str, tuple[str, ...]] = {
    # part A
    # part B
    # part C
}

#: What is handed in beside the notebook.
HANDED_IN = ("in_context.safetensors", "one_block.safetensors", "results.json", "gpt.safetensors")

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON: dict[str, tuple[str, ...]] = {
    # part A
    # part B
    # part C
    "my_learner": ("GPT",),
    "induction_score": ("GPT", "my_learner"),
    "my_gpt": ("GPT",),
}

check = check_of(__name__)
