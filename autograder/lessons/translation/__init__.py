"""05-translation."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "RecurrentEncoder",
    "AdditiveScores",
    "dot_scores",
    "AttentionDecoder",
    "shifted_targets",
    "smoothed_loss",
    "warmup_rate",
    "train",
    "greedy_translate",
    "beam_search",
    "bleu",
    "alignment_error_rate",
    "TransformerTranslator",
    "my_translator",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("dot_scores", "smoothed_loss", "warmup_rate", "beam_search", "alignment_error_rate")

#: The whole model, which this lesson builds of the layers of lessons 03 and 04.
FORBIDDEN = ("course_lib.layers.Transformer", "torch.nn.Transformer")

#: Functions and classes that are the whole answer to one exercise.
FORBIDDEN_IN = {
    "smoothed_loss": ("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss"),
    "train": ("course_lib.training.fit",),
}

#: Files handed in beside the notebook.
HANDED_IN = ("translator.safetensors",)

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "AttentionDecoder": ("AdditiveScores",),
    "my_translator": ("TransformerTranslator",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
