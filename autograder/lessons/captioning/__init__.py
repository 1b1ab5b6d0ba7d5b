"""06-captioning."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "grid_features",
    "weights_to_grid",
    "AdditiveAttention",
    "caption_loss",
    "CaptionDecoder",
    "greedy_caption",
    "beam_search",
    "my_captioner",
    "pointing",
    "TransformerCaptioner",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("TransformerCaptioner",)

#: The loss of lesson 7, ready-made for lesson 8, is that of captions.
FORBIDDEN = ("course_lib.training.next_token",)

#: Files handed in beside the notebook.
HANDED_IN = ("captioner.safetensors", "no_price.safetensors", "results.json")

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "CaptionDecoder": ("AdditiveAttention",),
    "my_captioner": ("AdditiveAttention", "CaptionDecoder"),
    "pointing": ("AdditiveAttention", "CaptionDecoder"),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
