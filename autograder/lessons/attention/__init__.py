"""01-attention."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "softmax",
    "attend",
    "scaled_dot_product_attention",
    "SelfAttention",
    "causal_mask",
    "CausalSelfAttention",
    "blockwise_attention",
)

#: The lesson is about what these do inside.
FORBIDDEN = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.MultiheadAttention",
    "torch.nn.attention.flex_attention.flex_attention",
    "torch.nn.attention.bias",
    "torch.nn.modules.transformer._generate_square_subsequent_mask",
    "course_lib.layers",
)

#: The whole answer to one exercise, and a tool in the others.
FORBIDDEN_IN = {
    "softmax": (
        "torch.softmax",
        "torch.log_softmax",
        "torch.special.softmax",
        "torch.special.log_softmax",
        "torch.nn.functional.softmax",
        "torch.nn.functional.log_softmax",
        "torch.nn.functional.softmin",
        "torch.nn.functional.gumbel_softmax",
        "torch.nn.Softmax",
        "torch.nn.LogSoftmax",
        "torch.distributions",
    ),
}

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "attend": ("softmax",),
    "scaled_dot_product_attention": ("softmax",),
    "SelfAttention": ("softmax", "scaled_dot_product_attention"),
    "CausalSelfAttention": ("softmax", "scaled_dot_product_attention", "SelfAttention", "causal_mask"),
    "blockwise_attention": ("softmax", "causal_mask"),
}

#: The module that recognises symptoms in wrong results of this lesson.
SYMPTOMS = "autograder.lessons.weights"

check = check_of(__name__)
