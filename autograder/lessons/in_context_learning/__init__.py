"""08-in-context-learning."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    # two directions
    "BidirectionalLanguageModel",
    "scalar_mix",
    # in context
    "predict_by_counts",
    "my_learner",
    "induction_score",
    # the model that is handed in
    "next_token_limit",
    "my_gpt",
    # after pretraining
    "dpo_loss",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("BidirectionalLanguageModel", "scalar_mix", "dpo_loss")

#: Dotted names of ready-made functions that do what an exercise asks for. The GPT of lesson 07 may be used.
FORBIDDEN = ("course_lib.layers.models",)

#: A few sentences are an automaton, too, and it knows how probable every next token is.
FORBIDDEN_IN = {"next_token_limit": ("course_lib.data.automata.Automaton",)}

#: Files handed in beside the notebook.
HANDED_IN = ("in_context.safetensors", "one_block.safetensors", "results.json", "gpt.safetensors")

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON: dict[str, tuple[str, ...]] = {
    "induction_score": ("my_learner",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
