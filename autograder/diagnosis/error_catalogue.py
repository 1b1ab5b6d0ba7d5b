"""Error messages of PyTorch and Python, each with the likely mistake and a hint."""

_WRITE = "Write the shape of each tensor beside this line."
_ELLIPSIS = "Inputs may have more axes, or fewer: count from the end (-1, -2), and write ... for those in front."

_FIT = "shapes do not fit"
_AXES = "fixed number of dimensions"
_NOT_BOOL = "a mask that is not boolean"
_DEVICES = "tensors on different devices"

#: Causes that may themselves result from a missing or an additional axis.
ABOUT_AXES = (_FIT, _AXES)

#: (part of the message, cause, hint) for each.
SHAPE_ERRORS = [
    (
        "Sizes of tensors must match except",
        _FIT,
        f"Tensors to be joined may differ only in the axis that dim names. {_WRITE}",
    ),
    (
        "Tensors must have same number of dimensions",
        _FIT,
        f"Tensors to be joined need the same number of axes. {_WRITE}",
    ),
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
        f"A convolution takes (batch, channels, height, width): the channels come second. {_WRITE}",
    ),
    ("Given normalized_shape", _FIT, f"The last axis does not have the length that is to be normalised. {_WRITE}"),
    (
        "number of subscripts in the equation",
        _AXES,
        f"The einsum names more or fewer axes than the tensor has. {_ELLIPSIS}",
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
        "t() is for matrices. x.mT swaps the last two axes, whatever axes come before them.",
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
        "As an index, a mask needs the shape of what it selects from: nothing broadcasts there. masked_fill and "
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
        "~ swaps True and False. Here it is applied to numbers: compare them first.",
    ),
    (
        "Subtraction, the `-` operator, with",
        "a mask used as a number",
        "~mask swaps True and False; 1 - mask does not.",
    ),
    (
        "is not on the expected device",
        _DEVICES,
        "A tensor created here must be on the device of the inputs: device=X.device.",
    ),
    (
        "to be on the same device",
        _DEVICES,
        "A tensor created here must be on the device of the inputs: device=X.device.",
    ),
    (
        "scalar types: Long, Int",
        "ids of another dtype",
        "Ids are whole numbers. Something has turned them into floating-point numbers.",
    ),
    (
        "index out of range in self",
        "index out of range",
        "An id is below 0, or not below the length of the table. Print both.",
    ),
]


_DTYPE = ("dtype not kept", "Two tensors of different dtypes meet. Make new tensors in the dtype of the inputs.")
_GPU = (
    "a GPU that is not there",
    "This computer has no GPU that PyTorch could use. Make tensors where the inputs are: device=X.device.",
)
_FACTORS = ("shapes do not fit", "Write the shape beside each factor: the inner two must agree.")
_CUT = (
    "no gradient",
    "The result depends on no trainable tensor. Its history was lost on the way (.detach(), .data, "
    "torch.no_grad()), or a tensor that should be trained has requires_grad=False.",
)

ERRORS = [
    (
        "view size is not compatible",
        "view of a non-contiguous tensor",
        "The input is a transposed or sliced tensor, whose memory .view cannot reinterpret. Use .reshape.",
    ),
    ("must be a scalar", "wrong number of dimensions", "Look at the number of dimensions of both factors."),
    ("must have same dtype", *_DTYPE),
    ("to have the same dtype", *_DTYPE),
    ("to be equal to src.dtype", *_DTYPE),
    ("source and destination dtypes match", *_DTYPE),
    (
        "int64_t without overflow",
        "a mask of −inf among whole numbers",
        "Whole numbers have no −inf. Is the mask filled into the scores, or into the ids?",
    ),
    ("but found", *_DTYPE),
    ("expected scalar type", *_DTYPE),
    (
        "overflow",
        "number too large for the dtype",
        "This dtype cannot hold the number that fills the mask. It can hold −inf.",
    ),
    (
        "a leaf Variable that requires grad",
        "input changed in place",
        "An operation in place writes into an input. Make a new tensor instead.",
    ),
    (
        "modified by an inplace operation",
        "changed in place",
        "A tensor that the gradient needs was overwritten by an in-place operation.",
    ),
    ("does not require grad", *_CUT),
    (
        "Boolean value of Tensor",
        "a tensor used as True or False",
        "if, and, or and not need a single True or False, and a tensor has many. To ask whether it is there, "
        "compare with None (`is None`). For its entries, use &, | and ~, with brackets around each comparison, and "
        "torch.where in place of if.",
    ),
    (
        "too many values to unpack",
        "too many values for the names on the left",
        "On the right of = there are more values than names on the left. If it is a shape: inputs may have more dimensions, so "
        "count from the end, shape[-1]. If it is a call: how many results does it return?",
    ),
    (
        "not enough values to unpack",
        "too few values for the names on the left",
        "On the right of = there are fewer values than names on the left. If it is a shape: inputs may have fewer dimensions, so "
        "count from the end, shape[-1]. If it is a call: how many results does it return?",
    ),
    ("not compiled with CUDA", *_GPU),
    ("no NVIDIA driver", *_GPU),
    (
        "Dimension out of range",
        "fixed number of dimensions",
        "Count dimensions from the end (dim=-1), so that inputs with fewer leading dimensions work too.",
    ),
    (
        "batch1 must be a 3D tensor",
        "fixed number of dimensions",
        "torch.bmm takes exactly three dimensions; @ takes any number.",
    ),
    ("expected 3D", "fixed number of dimensions", "This operation takes exactly three dimensions; @ takes any number."),
    (
        "dims specified in permute",
        "fixed number of dimensions",
        "Swap the last two dimensions with .transpose(-2, -1), whatever dimensions come before them.",
    ),
    ("mat1 and mat2 shapes cannot be multiplied", *_FACTORS),
    ("Expected size for first two dimensions", *_FACTORS),
    (
        "must match the size of tensor",
        "shapes do not fit",
        "Two axes that meet here have different lengths. Write the shape of each tensor beside this line: is one of them mixed "
        "up with another, of a fixed size, or left from an earlier call?",
    ),
    (
        "must match the existing size",
        "shapes do not fit",
        "A tensor is expanded to a shape that it does not have. Write the shape beside each line.",
    ),
    (
        "is invalid for input of size",
        "shapes do not fit",
        "A tensor is reshaped to a shape that it does not have. Write the shape beside each line.",
    ),
    (
        "Target -100 is out of bounds",
        "the label −100 taken for a class",
        "The loss was given −100 as a class. Places with this label do not count: what does the loss leave out?",
    ),
    (
        "Class values must be non-negative",
        "a negative number taken for a class",
        "F.one_hot counts classes from 0, but here a number is below 0. Print the smallest: is it a wrong id, or a "
        "label that does not count?",
    ),
    (
        "does not match the shape of the indexed tensor",
        "a mask of another length",
        "A boolean index does not have the length of what it selects from. Which of the two was updated last?",
    ),
    (
        " a non-empty ",
        "nothing to put together",
        "A list of tensors to be stacked or joined is empty here. Which input leaves the loop before anything is "
        "added?",
    ),
    (
        "selected index k out of range",
        "more asked for than there is",
        "topk is asked for more numbers than the axis holds. How long is it at least, and how large may k be?",
    ),
    (
        "out of bounds",
        "index out of range",
        "An index or id is not below the length of the axis or the table. Print both.",
    ),
    ("no grad accessor", *_CUT),
]

#: Fallback for unknown messages: the type of the error alone.
KINDS_OF_ERRORS = [
    (
        "NameError",
        "a name that does not exist",
        "The name was never given a value here. Is it misspelt, or defined further down?",
    ),
    (
        "UnboundLocalError",
        "a name without a value",
        "The name gets its value only in another branch of the function.",
    ),
    (
        "AttributeError",
        "an attribute that does not exist",
        "Is the name misspelt (capital letters count), set in __init__ without self., or set only by another call than this one? "
        "Or is the value of an unexpected type: print it.",
    ),
    ("ModuleNotFoundError", "a module that is not installed", "Use what the notebook imports at its top."),
    ("ImportError", "an import that fails", "Use what the notebook imports at its top."),
    (
        "RecursionError",
        "a function that calls itself without end",
        "Something calls itself again and again. Does it shadow a function of that name?",
    ),
    (
        "ZeroDivisionError",
        "division by 0",
        "A divisor can be 0. Which input makes it 0?",
    ),
    (
        "IndexError",
        "index out of range",
        "An index is not below the length of the axis, or the tensor has fewer axes than you think.",
    ),
    ("KeyError", "a key that is not there", "Print the keys of the dictionary."),
    (
        "AssertionError",
        "an assert that does not hold",
        "An assert, yours or one inside PyTorch, fails for an input that is allowed.",
    ),
    ("NotImplementedError", "not written for this input", "An allowed input reaches a case that is not implemented."),
    ("TypeError", "a value of the wrong type", "Print type(...) of what goes into this line."),
    (
        "ValueError",
        "an input refused that is allowed",
        "This input is allowed by the exercise. Which line refuses it, and why?",
    ),
    (
        "RuntimeError",
        "an operation that PyTorch refuses",
        "Write the shape and the dtype of every tensor in this line beside it.",
    ),
]
