"""13-retrieval."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    # measures
    "ranked_gains",
    "recall_at_k",
    "mean_reciprocal_rank",
    "ndcg_at_k",
    # search
    "TextTower",
    "in_batch_loss",
    "hard_negatives",
    "my_search",
    # many documents
    "chunked_top_k",
    "inverted_lists",
    "probe_search",
    # a model of the world
    "dequantise",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("chunked_top_k", "inverted_lists", "probe_search", "dequantise")

#: Dotted names of ready-made functions that do what an exercise asks for.
FORBIDDEN = (
    # the models that are built of the layers of lessons 03 and 04, which this lesson may use
    "course_lib.layers.gpt",
    "course_lib.layers.bert",
    "course_lib.layers.models",
    "course_lib.training.negatives",  # the loss, ready-made for lesson 14
)

#: Files handed in beside the notebook.
HANDED_IN = ("search.safetensors",)

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON: dict[str, tuple[str, ...]] = {
    "recall_at_k": ("ranked_gains",),
    "mean_reciprocal_rank": ("ranked_gains",),
    "ndcg_at_k": ("ranked_gains",),
    "my_search": ("TextTower",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
