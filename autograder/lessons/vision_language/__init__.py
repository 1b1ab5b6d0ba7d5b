"""12-vision-language."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    # two views of one picture
    "augment",
    "nt_xent",
    "linear_probe",
    # a picture and its caption
    "clip_loss",
    "DualEncoder",
    "my_clip",
    "retrieval_at_k",
    "zero_shot",
    # a picture and a question
    "CoAttentionBlock",
    "my_answers",
    # a generator and a discriminator
    "gan_losses",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("CoAttentionBlock", "my_answers", "gan_losses", "written-two-streams", "answers.safetensors")

#: The loss that the course has ready-made for lesson 14: with a picture's number as the id, it is that of two views.
FORBIDDEN = ("course_lib.training.negatives",)

#: Functions and classes that are the whole answer to one exercise.
FORBIDDEN_IN: dict[str, tuple[str, ...]] = {
    "gan_losses": ("torch.nn.functional.multilabel_soft_margin_loss", "torch.nn.MultiLabelSoftMarginLoss"),
}

#: What an exercise may import beside PyTorch and the course's own: a linear probe may be scikit-learn's.
LIBRARIES_IN = {"linear_probe": ("scikit-learn",)}

#: Files handed in beside the notebook.
HANDED_IN = ("clip.safetensors", "answers.safetensors")

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "my_clip": ("DualEncoder",),
    "my_answers": ("CoAttentionBlock",),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
