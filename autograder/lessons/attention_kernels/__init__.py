"""16-attention-kernels."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = (
    "attention_bill",
    "merge_states",
    "flash_forward",
    "flash_backward",
    "block_kinds",
    "block_sparse_attention",
    "split_states",
    "paged_attention",
    "packed_attention",
    "softmax_kernel",
    "matmul_kernel",
    "flash_kernel",
    "grouped_kernel",
)

#: The lesson is about what these do inside.
FORBIDDEN = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.MultiheadAttention",
    "torch.nn.attention.flex_attention",
    "torch.nn.attention.varlen",
    "torch.nn.attention.bias",
    "course_lib.layers",
)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that may be left out.
OPTIONAL = (
    "block_sparse_attention",
    "packed_attention",
    "softmax_kernel",
    "matmul_kernel",
    "flash_kernel",
    "grouped_kernel",
)

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {
    "block_sparse_attention": ("merge_states",),
    "packed_attention": ("flash_forward",),
    "grouped_kernel": ("flash_kernel",),
}

check = check_of(__name__)
