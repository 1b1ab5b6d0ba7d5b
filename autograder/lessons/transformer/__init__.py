"""04-transformer."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "Encoder",
    "Decoder",
    "Transformer",
    "parameter_count",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("parameter_count",)

#: What the lesson builds of the blocks of lesson 03, which it may use.
FORBIDDEN = (
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerEncoder",
    "torch.nn.TransformerDecoderLayer",
    "torch.nn.TransformerDecoder",
    "torch.nn.Transformer",
    "course_lib.layers.Encoder",
    "course_lib.layers.Decoder",
    "course_lib.layers.Transformer",
    "course_lib.layers.bert.TokenEncoder",
    "course_lib.layers.gpt.LanguageModel",
    "course_lib.layers.vit.VisionTransformer",
)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "Decoder": ("Encoder",),
    "Transformer": ("Encoder", "Decoder"),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
