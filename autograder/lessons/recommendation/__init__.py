"""14-recommendation."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "SequentialRecommender",
    "my_recommender",
    "cold_start_vector",
    "ItemTower",
    "off_policy_values",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("off_policy_values",)

#: Dotted names of ready-made functions that do what an exercise asks for.
FORBIDDEN = (
    # the models that are built of the layers of lessons 03 and 04, which this lesson may use
    "course_lib.layers.gpt",
    "course_lib.layers.bert",
    "course_lib.layers.models",
)

#: Files handed in beside the notebook.
HANDED_IN = ("recommender.safetensors",)

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON: dict[str, tuple[str, ...]] = {
    "my_recommender": ("SequentialRecommender",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
