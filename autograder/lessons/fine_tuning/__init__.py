"""10-fine-tuning."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "SequenceClassifier",
    "TokenTagger",
    "SpanHead",
    "best_span",
    "our_name",
    "PretrainedEncoder",
    "mean_pooling",
)

#: The ready-made encoder that has a pooler. The model of lesson 09 may be used.
FORBIDDEN = ("course_lib.layers.bert.TokenEncoder",)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {"PretrainedEncoder": ("our_name",)}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
