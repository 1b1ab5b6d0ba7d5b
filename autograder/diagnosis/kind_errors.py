"""Error messages about a value of the wrong kind: a number instead of a tensor, a tuple instead of one result, a list of layers
instead of a layer. Each has the likely mistake and a hint.
"""

_NONE = (
    "None not handled",
    "An optional argument was left out and is None here. Treat that case first, above the line that uses the value.",
)
_COUNT = (
    "a float where a whole number is needed",
    "Sizes, positions and counts are whole numbers. / always gives a float, even where nothing is left over: // does not.",
)
_ONE_NUMBER = (
    "a whole tensor where one number is needed",
    "Functions of Python (math.exp, math.sqrt, float, int, torch.tensor([...])) and .item() take one number. Functions of torch "
    "(torch.exp, torch.sqrt, torch.stack) take whole tensors.",
)
_INDEX = (
    "a tensor where a plain whole number is needed",
    "range(...), a place in a list and the ends of a slice are plain numbers: X.shape[0], len(X), or .item() of one whole "
    "number. Print the tensor that you use there.",
)
_PAIR = (
    "several results used as one",
    "This is a tuple: all results of a call that returns several, (Y, A) for example, or an entry of .items(). Give each of "
    "them a name, Y, A = ..., or take one, [0].",
)
_VALUES = (
    "values and indices used as one tensor",
    "With dim, max, min, sort and topk return two tensors, the values and their indices. Take .values (amax and amin return "
    "the values only).",
)
_LAYER = (
    "a layer used as a tensor",
    "A layer has to be called: self.W(X), not X @ self.W. In the same way nn.ReLU(X) only makes a layer, and nn.ReLU()(X) or "
    "torch.relu(X) applies it.",
)
_LIST = (
    "a list used as a tensor",
    "A list of Python does not compute: [1, 2] - 1 is an error, and [1, 2] * 2 repeats it. torch.stack or torch.tensor make a "
    "tensor of it, and torch.arange(n) is the tensor of range(n).",
)
_CALLED = (
    "round brackets after something that is not a function",
    "What stands before the round brackets cannot be called. Attributes such as shape and device take no brackets, "
    "a tensor or list is indexed with [ and ], and a layer or function may have been overwritten by its result.",
)
_SQUARE = (
    "square brackets after something that cannot be indexed",
    "What stands before the square brackets is not a tensor, list or tuple. A method has to be called first: "
    "X.size(0), or X.shape[0]. Print type(...) of it.",
)
_METHOD = (
    "a method that is not called",
    "The message names a method where its result is needed. Methods take round brackets, also without arguments: p.numel(), "
    "x.item(), X.dim().",
)
_LAYERS = (
    "a list of layers called like a layer",
    "nn.ModuleList and nn.ModuleDict hold layers and have no forward. Call each of the layers, in a loop.",
)
_IDS = (
    "ids of another dtype",
    "Ids are whole numbers. Something has turned them into floating-point numbers.",
)
_NUMBERS = (
    "plain numbers where tensors are needed",
    "A plain Python number is used where a tensor is needed; the message says where. For one number math.sqrt or ** 0.5 "
    "will do, and torch.tensor([...]) makes a tensor of several.",
)
_BOOLEANS = (
    "a mask that is not boolean",
    "&, | and ~ join True and False. This tensor holds numbers: compare them first, or make them with dtype=torch.bool.",
)
_WHOLE = (
    "whole numbers where floats are needed",
    "This operation is for floating-point numbers, but here are ids or True and False. Which tensor gives the "
    "result its dtype? torch.rand(x.shape) draws floats whatever x holds, and torch.rand_like(x) does not.",
)
_EMPTY = (
    "the largest or smallest of nothing",
    "max or min is called on something empty. Which input leaves nothing to choose from, and what should the result "
    "be then?",
)
_KEY = (
    "a key that cannot be one",
    "Keys of dictionaries and sets are numbers, strings or tuples. Turn a list into a tuple, and a tensor into a "
    "number (.item()).",
)
_SINGLE = (
    "a single value where several are needed",
    "A single number or object is looped over, unpacked or joined. Print it: should it be a list, or be used as it is?",
)
_TEXT = (
    "a text where a number is needed",
    "A string cannot be used as a number. Looping over a dictionary gives its keys: .values() gives the values, and "
    ".items() both.",
)
_SCALAR = (
    "a tensor without axes",
    "A tensor with a single number and no axis has no length, and nothing to loop over. Which sum, mean or index has taken the "
    "last axis away?",
)

_LAYERS_OF_TORCH = (
    *("Linear", "Embedding", "Dropout", "Sequential", "Conv2d"),
    *("ReLU", "GELU", "SiLU", "Softmax", "Tanh", "Sigmoid", "type"),
)

#: (part of the message, cause, hint) for each; ``…`` in a part stands for any words.
KIND_ERRORS = [
    *(
        (part, *_NONE)
        for part in ("'NoneType'", "not NoneType", "got NoneType", "!NoneType!", "(NoneType", "NoneType object")
    ),
    *(
        (f"{name}() received …got (…float", *_COUNT)
        for name in ("view", "reshape", "expand", "zeros", "ones", "empty", "repeat", "repeat_interleave", "split")
    ),
    ("only integer tensors of a single element", *_INDEX),
    ("only one element tensors can be converted", *_ONE_NUMBER),
    ("elements cannot be converted to Scalar", *_ONE_NUMBER),
    ("must be Number, not Tensor", *_ONE_NUMBER),
    ("must be int, not Tensor", *_INDEX),
    ("arange() received …got (Tensor", *_INDEX),
    ("must be tuple of ints, not Tensor", *_INDEX),
    ("'float' object cannot be interpreted as an integer", *_COUNT),
    ("slice indices must be integers", *_COUNT),
    ("valid indices (got float)", *_COUNT),
    ("must be int, not float", *_COUNT),
    ("must be tuple of ints, not float", *_COUNT),
    ("must be tuple of ints,but got float", *_COUNT),
    ("but found element of type float", *_COUNT),
    ("can't multiply sequence by non-int of type 'float'", *_COUNT),
    ("list indices must be integers or slices, not float", *_COUNT),
    ("torch.return_types", *_VALUES),
    ("must be Tensor, not tuple", *_PAIR),
    ("'tuple' and 'Tensor'", *_PAIR),
    ("'Tensor' and 'tuple'", *_PAIR),
    ("'tuple' and 'float'", *_PAIR),
    ("'tuple' and 'int'", *_PAIR),
    ("'tuple' and 'tuple'", *_PAIR),
    ("'tuple' object has no attribute", *_PAIR),
    ("tuple indices must be integers or slices", *_PAIR),
    ("must be Tensor, not torch.return_types", *_VALUES),
    ("must be Tensor, not list", *_LIST),
    ("'list' and 'Tensor'", *_LIST),
    ("'Tensor' and 'list'", *_LIST),
    ("'list' and 'int'", *_LIST),
    ("'list' and 'float'", *_LIST),
    ("'list' and 'list'", *_LIST),
    ("'range' and 'Tensor'", *_LIST),
    ("'Tensor' and 'range'", *_LIST),
    ("must be Tensor, not range", *_LIST),
    ("can't multiply sequence by non-int", *_LIST),
    ("'list' object has no attribute", *_LIST),
    ("can't assign a list to a torch", *_LIST),
    ("list indices must be integers or slices, not tuple", *_LIST),
    *(
        (part.format(layer), *_LAYER)
        for part in ("unsupported operand type(s) for …'{}'", "must be Tensor, not {}")
        for layer in _LAYERS_OF_TORCH
    ),
    ("' object is not callable", *_CALLED),
    ("'builtin_function_or_method' object is not subscriptable", *_SQUARE),
    ("'method' object is not subscriptable", *_SQUARE),
    ("'function' object is not subscriptable", *_SQUARE),
    ("'int' object is not subscriptable", *_SQUARE),
    ("'float' object is not subscriptable", *_SQUARE),
    *(
        (part, *_METHOD)
        for part in ("'builtin_function_or_method'", "'method'", "not builtin_function_or_method", "not method")
    ),
    ("Module [ModuleList] is missing", *_LAYERS),
    ("Module [ModuleDict] is missing", *_LAYERS),
    ("ParameterList should not be called", *_LAYERS),
    (
        'is missing the required "forward" function',
        "a module without forward",
        "The message names a class that has no forward. Is the name misspelt, or its def indented into another one?",
    ),
    (
        "before Module.__init__() call",
        "super().__init__() missing",
        "Layers can be given to a module only after super().__init__(), the first line of __init__.",
    ),
    (
        "cannot assign 'torch.…' as parameter",
        "a plain tensor in the place of a parameter",
        "A trainable tensor is an nn.Parameter: nn.Parameter(...) around the tensor makes one.",
    ),
    ("expected Tensor as element", *_NUMBERS),
    ("must be Tensor, not int", *_NUMBERS),
    ("must be Tensor, not float", *_NUMBERS),
    (
        "Expected target size",
        "scores and targets of different shapes",
        "F.cross_entropy takes the scores with the classes on axis 1, right after the batch, and the targets with the same axes "
        "without that one. Write both shapes beside this line: are the classes there (.mT, or flatten(0, 1)), and are both "
        "as long?",
    ),
    (
        "to match target batch_size",
        "not one target for each row of scores",
        "The scores have one row for each thing to be classified, and the targets should have one number for each row. Write "
        "the shapes of both beside this line.",
    ),
    (
        "for target with class probabilities, got Long",
        "ids in the place of scores",
        "F.cross_entropy takes the scores of all classes first, with an axis more than the targets, and then the ids of the right"
        " ones. Here ids come first: was argmax taken too early?",
    ),
    ("expected target dtype to be Long", *_IDS),
    ("Expected dtype int32/int64 for index", *_IDS),
    ("only applicable to index tensor", *_IDS),
    ("tensors used as indices must be long", *_IDS),
    (
        "Index tensor must have the same number of dimensions",
        "shapes do not fit",
        "gather and scatter need an index with as many axes as the tensor it picks from. Write both shapes beside this line.",
    ),
    (
        "could not infer output dtype",
        "a mean of whole numbers",
        "The mean of whole numbers, or of True and False, is a fraction. Turn them into floats first.",
    ),
    ('"bitwise_…not implemented for', *_BOOLEANS),
    ("not implemented for 'Long'", *_WHOLE),
    ("not implemented for 'Int'", *_WHOLE),
    ("not implemented for 'Bool'", *_WHOLE),
    (
        "expects 'from' to be less than 'to'",
        "a range that ends before it begins",
        "randint draws from the first number up to, but without, the second. Are the two swapped, or equal?",
    ),
    (
        "Negation, the `-` operator",
        "a mask used as a number",
        "~mask swaps True and False; -mask does not.",
    ),
    (
        "dropout probability has to be between 0 and 1",
        "another number in the place of the dropout",
        "nn.Dropout is given a number that is not a probability. Which of your arguments is it given: are two of them exchanged, "
        "or is one left out before it?",
    ),
    (
        "grad can be implicitly created only for scalar outputs",
        "backward of more than one number",
        "A loss is one number. What still has to be summed or averaged?",
    ),
    (
        "probability tensor contains either",
        "probabilities below 0, infinite or not a number",
        "torch.multinomial draws from probabilities. Print their smallest and largest: were they scores, or is everything "
        "masked?",
    ),
    (
        "invalid multinomial distribution",
        "nothing left to draw from",
        "torch.multinomial was given a row whose numbers add up to 0: everything has been taken out of it. Which input leaves "
        "nothing, and what should stay in any case?",
    ),
    (
        "sorted in decreasing order when",
        "sentences that are not sorted by length",
        "pack_padded_sequence expects the longest sentence first, unless it is told that they come in any order: "
        "enforce_sorted=False. The results then have the order of the batch again.",
    ),
    (
        "repeat dims can not be smaller",
        "fixed number of dimensions",
        "repeat has to name every axis. expand(..., -1) keeps those that should stay.",
    ),
    (
        "math domain error",
        "a logarithm or root that does not exist",
        "math.log is called with 0, or math.sqrt with a number below 0. Which input leads there, and what should "
        "the result be then?",
    ),
    (" arg is an empty sequence", *_EMPTY),
    ("iterable argument is empty", *_EMPTY),
    ("unhashable type: 'list'", *_KEY),
    ("KeyError: tensor(", *_KEY),
    ("'int' object is not iterable", *_SINGLE),
    ("'float' object is not iterable", *_SINGLE),
    ("'bool' object is not iterable", *_SINGLE),
    ("must be an iterable, not", *_SINGLE),
    ("object of type 'int' has no len()", *_SINGLE),
    ("object of type 'float' has no len()", *_SINGLE),
    ("'int' and 'str'", *_TEXT),
    ("'str' and 'int'", *_TEXT),
    ("'float' and 'str'", *_TEXT),
    ("'str' and 'float'", *_TEXT),
    ("can only concatenate str", *_TEXT),
    (
        "tuple index out of range",
        "a place that a tuple does not have",
        "If it is a shape: inputs may have fewer axes, so count from the end, shape[-1]. If it is a call: how many results does "
        "it return?",
    ),
    ("of a 0-d tensor", *_SCALAR),
    ("over a 0-d tensor", *_SCALAR),
    (
        "only one dimension can be inferred",
        "more than one axis left open",
        "In view and reshape, one length may be -1, for what is left over. Write the lengths of the others.",
    ),
    (
        "'Tensor' object has no attribute 'astype'",
        "a method that only NumPy has",
        "A tensor changes its dtype with .to(dtype), .float() or .double().",
    ),
    (
        "'Tensor' object has no attribute 'copy'",
        "a method that only NumPy has",
        "A tensor is copied with .clone().",
    ),
    (
        "'Tensor' object has no attribute 'append'",
        "a tensor used as a list",
        "A tensor cannot grow. Collect in a list and join at the end, or join with torch.cat.",
    ),
]
