"""02-multi-head-attention."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "split_heads",
    "merge_heads",
    "MultiHeadAttention",
    "padding_mask",
    "CachedSelfAttention",
    "ConvSelfAttention",
)

#: Optional exercises, questions and files, as the headings mark them.
OPTIONAL = ("ConvSelfAttention",)

#: The lesson is about what these do inside.
FORBIDDEN = (
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.MultiheadAttention",
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerDecoderLayer",
    "course_lib.layers.heads",
    "course_lib.layers.multi_head",
    "course_lib.layers.masks.padding_mask",
)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "MultiHeadAttention": ("split_heads", "merge_heads"),
    "CachedSelfAttention": ("split_heads", "merge_heads", "MultiHeadAttention"),
    "ConvSelfAttention": ("split_heads", "merge_heads"),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
