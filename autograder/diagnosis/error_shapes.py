"""PyTorch's messages about shapes, axes and devices: (part of the message, cause, hint)."""

_WRITE = "Write the shape of each tensor beside this line."
_ELLIPSIS = "Inputs may have more axes, or fewer: count from the end (-1, -2), and write ... for those in front."

_FIT = "shapes do not fit"
_AXES = "fixed number of dimensions"
_NOT_BOOL = "a mask that is not boolean"
_DEVICES = "tensors on different devices"

#: The causes that an axis which is missing, or one too many, may have brought about.
ABOUT_AXES = (_FIT, _AXES)

#: (part of the message, cause, hint) for each.
SHAPE_ERRORS = [
    (
        "Sizes of tensors must match except",
        _FIT,
        f"What is joined may differ in one axis only, the one that dim names. {_WRITE}",
    ),
    ("Tensors must have same number of dimensions", _FIT, f"What is joined has to have equally many axes. {_WRITE}"),
    ("stack expects each tensor to be equal size", _FIT, f"torch.stack joins tensors of one shape. {_WRITE}"),
    (
        "does not broadcast with previously seen size",
        _FIT,
        f"A letter of the einsum stands for axes of different lengths. {_WRITE}",
    ),
    ("don't multiply up to the size", _FIT, f"An axis is cut into parts whose product is not its length. {_WRITE}"),
    ("size mismatch", _FIT, f"The inner axes of a product have different lengths. {_WRITE}"),
    ("split_sizes to sum exactly", _FIT, f"The parts do not add up to the length of the axis that is split. {_WRITE}"),
    (
        "channels, but got",
        _FIT,
        f"A convolution takes (batch, channels, height, width): the channels stand second. {_WRITE}",
    ),
    ("Given normalized_shape", _FIT, f"The last axis has another length than the one that is normalised. {_WRITE}"),
    (
        "number of subscripts in the equation",
        _AXES,
        f"The einsum names another number of axes than the tensor has. {_ELLIPSIS}",
    ),
    (
        "desired ordering of dimensions",
        _AXES,
        f"permute has to name every axis. {_ELLIPSIS} transpose(-2, -3) swaps two and needs no others.",
    ),
    ("number of sizes provided", _AXES, f"A tensor is expanded to fewer axes than it has. {_ELLIPSIS}"),
    ("too many indices for tensor", _AXES, f"There are more indices than axes. {_ELLIPSIS}"),
    (
        "t() expects a tensor with",
        _AXES,
        "t() is for matrices. x.mT swaps the last two axes, whatever stands in front of them.",
    ),
    (
        "only supported on matrices",
        _AXES,
        "A vector has nothing to transpose. Write the shape of each tensor beside this line.",
    ),
    ("1D tensors expected", _AXES, "torch.dot takes two vectors; @ takes any number of axes."),
    ("vector + matrix @ vector expected", _AXES, "torch.mv takes a matrix and a vector; @ takes any number of axes."),
    (
        "does not match the shape of the indexed tensor",
        "a mask of another shape between brackets",
        "Between brackets a mask has to have the shape of what it picks from: nothing broadcasts there. masked_fill and "
        "torch.where broadcast.",
    ),
    (
        "only supports boolean masks",
        _NOT_BOOL,
        "A mask holds True and False: compare (mask == 0), or make it with dtype=torch.bool.",
    ),
    (
        "~ (operator.invert)",
        _NOT_BOOL,
        "~ turns True and False round. What stands behind it here holds numbers: compare them first.",
    ),
    (
        "Subtraction, the `-` operator, with",
        "a mask used as a number",
        "~mask turns True and False round; 1 - mask does not.",
    ),
    (
        "is not on the expected device",
        _DEVICES,
        "A tensor that is made here has to be made where the inputs are: device=X.device.",
    ),
    (
        "to be on the same device",
        _DEVICES,
        "A tensor that is made here has to be made where the inputs are: device=X.device.",
    ),
    (
        "scalar types: Long, Int",
        "ids of another dtype",
        "Ids are whole numbers. Something has turned them into floating-point numbers.",
    ),
    (
        "Can't call numpy() on Tensor that requires grad",
        "no gradient",
        "NumPy records no history, so no gradient could flow back. Write the same with functions of torch.",
    ),
    (
        "index out of range in self",
        "index out of range",
        "An id is larger than the table is long, or below 0. Print both.",
    ),
]
