"""09-mlm-pretraining."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "exact_limit",
    "mask_tokens",
    "mlm_loss",
    "BertEmbeddings",
    "BertEncoder",
    "MaskedLanguageModel",
    "my_language_model",
    "losses_by_fate",
    "sentence_pairs",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("sentence_pairs", "written-pairs")

#: The model that this lesson builds of the layers of lessons 03 and 04, which it may use.
FORBIDDEN = ("course_lib.layers.bert",)

#: A few sentences are an automaton, too, and these say of its words what the exercise asks for.
FORBIDDEN_IN = {
    "exact_limit": (
        "course_lib.data.masking_limit.posterior",
        "course_lib.data.masking_limit.lowest_loss",
        "course_lib.data.automata.Automaton",
    )
}

#: Files handed in beside the notebook.
HANDED_IN = ("language_model.safetensors", "always_mask.safetensors", "results.json")

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "BertEncoder": ("BertEmbeddings",),
    "MaskedLanguageModel": ("BertEmbeddings", "BertEncoder"),
    "my_language_model": ("BertEmbeddings", "BertEncoder", "MaskedLanguageModel"),
    "losses_by_fate": ("BertEmbeddings", "BertEncoder", "MaskedLanguageModel"),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
