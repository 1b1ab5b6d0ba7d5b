"""PyTorch's own messages, as this version of it writes them, have a name each."""

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from autograder.diagnosis.symptoms import symptom
from autograder.runtime.errors import CheckFailure

X = torch.zeros(2, 3)
MASK = torch.ones(3, dtype=torch.bool)
WORD: Any = "relu"
CALL = "a call with other arguments than it takes"
NUMPY = "NumPy functions on tensors"
LAYERS, INDEX = "a list of layers called like a layer", "a tensor where a plain whole number is needed"
ONE, COUNT = "a whole tensor where one number is needed", "a float where a whole number is needed"
FIT, AXES, DEVICES = "shapes do not fit", "fixed number of dimensions", "tensors on different devices"


@pytest.mark.parametrize(
    ("call", "cause"),
    [
        (lambda: torch.cat((X, X[:, :2])), FIT),
        (lambda: torch.cat((X, X[..., None])), FIT),
        (lambda: torch.stack((X, X[:, :2])), FIT),
        (lambda: torch.einsum("ij,jk->ik", X, X), FIT),
        (lambda: torch.einsum("bij,bjk->bik", X, X), AXES),
        (lambda: X.permute(0, 2, 1), AXES),
        (lambda: X.transpose(1, 2), AXES),
        (lambda: X[None].expand(2, 3), AXES),
        (lambda: X.unflatten(-1, (2, 2)), FIT),
        (lambda: X.split((1, 1), -1), FIT),
        (lambda: X[0, 0, 0], AXES),
        (lambda: X[MASK], "a mask of another shape between brackets"),
        (lambda: X.masked_fill(X, 0), "a mask that is not boolean"),
        (lambda: ~X, "a mask that is not boolean"),
        (lambda: 1 - MASK, "a mask used as a number"),
        (lambda: X @ X[0, :2], FIT),
        (lambda: X + torch.zeros(2, 3, device="meta"), DEVICES),
        (lambda: torch.where(torch.ones(2, 3, dtype=torch.bool), torch.zeros(2, 3, device="meta"), 0.0), DEVICES),
        (lambda: F.embedding(torch.tensor([5]), X), "index out of range"),
        (lambda: F.embedding(X[0], X), "ids of another dtype"),
        (lambda: torch.nn.Conv2d(3, 4, 1)(torch.zeros(1, 2, 5, 5)), FIT),
        (lambda: X.requires_grad_().numpy(), NUMPY),
        (lambda: torch.empty(3, 2).__setitem__(slice(None), X), "rows and columns exchanged"),
        (lambda: torch.empty(3, 3).__setitem__(slice(None), X), FIT),
        (lambda: X.topk(4), "more asked for than there is"),
        (lambda: torch.nn.Linear(3), "a class made without all its arguments"),
        (lambda: np.max(X, axis=-1, keepdims=True), NUMPY),
        (lambda: np.mean(X, axis=-1, keepdims=True), NUMPY),
        (lambda: np.exp(X.requires_grad_()), NUMPY),
        (lambda: np.ones(3) * X, NUMPY),
        (lambda: torch.exp(np.ones(3)), NUMPY),
        (lambda: range(X), INDEX),
        (lambda: [1, 2][X], INDEX),
        (lambda: int(X), ONE),
        (lambda: math.exp(X), ONE),
        (lambda: torch.tensor([X, X]), ONE),
        (lambda: X.item(), ONE),
        (lambda: range(4 / 2), COUNT),
        (lambda: X[: 4 / 2], COUNT),
        (lambda: X.unflatten(-1, (1, 6 / 2)), COUNT),
        (lambda: torch.eye(6 / 2), COUNT),
        (lambda: X.view(2, 6 / 2), COUNT),
        (lambda: torch.nn.ModuleList([torch.nn.Linear(3, 3)])(X), LAYERS),
        (lambda: torch.nn.ModuleDict({"a": torch.nn.Linear(3, 3)})(X), LAYERS),
        (lambda: torch.nn.Module()(X), "a module without forward"),
        (lambda: X - X.max(dim=-1, keepdim=True), "values and indices used as one tensor"),
        (lambda: torch.nn.functional.relu((X, X)), "several results used as one"),
        (lambda: (X, X) @ X, "several results used as one"),
        (lambda: X @ torch.nn.Linear(3, 3), "a layer used as a tensor"),
        (lambda: torch.nn.Softmax(X) @ X, "a layer used as a tensor"),
        (lambda: F.dropout(torch.nn.ReLU(X)), "a layer used as a tensor"),
        (lambda: F.dropout(torch.nn.ReLU), "a layer used as a tensor"),
        (lambda: torch.nn.Linear(3, 6 / 2), COUNT),
        (lambda: torch.arange(X), ONE),
        (lambda: X.sort(dim=1)[:, :2], "several results used as one"),
        (lambda: range(3) < X, "a list used as a tensor"),
        (lambda: F.cross_entropy(X.argmax(1), torch.tensor([0, 1])), "ids in the place of scores"),
        (lambda: torch.rand_like(torch.arange(3)), "whole numbers where floats are needed"),
        (lambda: torch.randint(5, 2, (3,)), "a range that ends before it begins"),
        (lambda: X.repeat_interleave(4 / 2, dim=0), COUNT),
        (lambda: X.shape[5], "a place that a tuple does not have"),
        (lambda: WORD(X), "round brackets after something that is not a function"),
        (lambda: [1, 2] - 1, "a list used as a tensor"),
        (lambda: X(0), "round brackets after something that is not a function"),
        (lambda: X.shape(0), "round brackets after something that is not a function"),
        (lambda: X.size[0], "square brackets after something that cannot be indexed"),
        (lambda: torch.sqrt(3), "plain numbers where tensors are needed"),
        (lambda: torch.stack([1.0, 2.0]), "plain numbers where tensors are needed"),
        (lambda: X & X, "a mask that is not boolean"),
        (lambda: -MASK, "a mask used as a number"),
        (
            lambda: F.cross_entropy(torch.zeros(2, 5, 7), torch.zeros(2, 5, dtype=torch.long)),
            "scores and targets of different shapes",
        ),
        (lambda: F.cross_entropy(X, torch.tensor([0])), "not one target for each row of scores"),
        (lambda: F.cross_entropy(X, X[:, 0]), "ids of another dtype"),
        (lambda: X.gather(1, X), "ids of another dtype"),
        (lambda: torch.nn.Dropout(3), "another number in the place of the dropout"),
        (lambda: torch.arange(3).mean(), "a mean of whole numbers"),
        (lambda: torch.arange(3).masked_fill(MASK, -math.inf), "a mask of −inf among whole numbers"),
        (lambda: max([]), "the largest or smallest of nothing"),
        (lambda: {[1]: 2}, "a key that cannot be one"),
        (lambda: {1: 2}[torch.tensor(1)], "a key that cannot be one"),
        (lambda: X @ torch.zeros(3, 2).double(), "dtype not kept"),
        (lambda: X + None, "None not handled"),
        (lambda: X.masked_fill(None, 0), "None not handled"),
        (lambda: list(3), "a single value where several are needed"),
        (lambda: sum({"a": 1}), "a text where a number is needed"),
        (lambda: X.astype(float), "a method that only NumPy has"),
        (lambda: torch.ones(2, None), "None not handled"),
        (lambda: sum(x.numel for x in (X, X)), "a method that is not called"),
        (lambda: range(X.numel), "a method that is not called"),
        (lambda: torch.multinomial(torch.zeros(1, 3), 1), "nothing left to draw from"),
        (lambda: X.__setitem__(slice(None), np.ones((2, 3))), "a NumPy array written into a tensor"),
        (
            lambda: torch.nn.utils.rnn.pack_padded_sequence(X, torch.tensor([1, 2]), batch_first=True),
            "sentences that are not sorted by length",
        ),
    ],
)
def test_an_error_message_is_matched_to_its_cause(call, cause):
    with pytest.raises(Exception) as caught:
        call()
    X.requires_grad_(False)
    text = f"{type(caught.value).__name__}: {caught.value}"
    told = symptom(CheckFailure("crash", "f stopped with an error in line 1: f(X)", received=text), None)
    assert told is not None
    assert told[0] == cause
    assert told[1]


def test_an_entry_that_is_added_to_before_it_is_there_is_told_from_another_missing_key():
    def cause(line):
        failure = CheckFailure(
            "crash", f"f stopped with an error in line 3 of In[2]: {line}", received="KeyError: (1, 2)"
        )
        return symptom(failure, None)[0]

    assert cause("pairs[(a, b)] += 1") == "a count that never begins"
    assert cause("n = pairs[(a, b)]") == "a key that is not there"


def _told(exercise, line, message):
    """Return the name and the hint for an error in a line of the student's, or in a call of the check (no line)."""
    where = f" in line 7 of In[3]: {line}" if line else ""
    failure = CheckFailure("crash", f"{exercise} stopped with an error{where}", received=f"TypeError: {message}")
    found = symptom(failure, None)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("exercise", "line", "message", "cause", "words"),
    [
        # The check calls what the student has written.
        (
            "softmax",
            "",
            "softmax() takes 1 positional argument but 2 were given",
            "wrong signature",
            "takes 1 argument",
        ),
        (
            "softmax",
            "",
            "softmax() got an unexpected keyword argument 'dim'",
            "wrong signature",
            "no argument called dim",
        ),
        ("Block", "", "Block.forward() missing 1 required positional argument: 'M'", "wrong signature", "without M"),
        (
            "Block",
            "",
            "Block.__init__() takes 1 positional argument but 4 were given",
            "wrong signature",
            "two underscores",
        ),
        (
            "softmax",
            "",
            "<lambda>() takes 1 positional argument but 2 were given",
            "wrong signature",
            "takes 1 argument",
        ),
        # What it calls is something else under that name.
        (
            "DecoderBlock",
            "",
            "EncoderBlock.forward() takes from 2 to 3 positional arguments but 5 were given",
            "another class answers the call",
            "`EncoderBlock` answers. `EncoderBlock` takes 1 to 2 arguments by position, and is given 4.",
        ),
        # The student's own line calls something.
        (
            "Decoder",
            "Y = self.blocks(Y, memory, a, b)",
            "Sequential.forward() takes 2 positional arguments but 5 were given",
            "nn.Sequential called with more than one argument",
            "nn.ModuleList",
        ),
        (
            "Decoder",
            "Y, a, b = block(Y, memory, a, b)",
            "EncoderBlock.forward() takes from 2 to 3 positional arguments but 5 were given",
            "a call with other arguments than it takes",
            "`EncoderBlock` takes 1 to 2 arguments by position, and is given 4.",
        ),
        (
            "Transformer",
            "P = sinusoidal_positions(N, D, device=X.device)",
            "sinusoidal_positions() got an unexpected keyword argument 'device'",
            "a call with other arguments than it takes",
            "`sinusoidal_positions` has no argument called device.",
        ),
        (
            "Decoder",
            "block = EncoderBlock(D)",
            "EncoderBlock.__init__() missing 2 required positional arguments: 'num_heads' and 'hidden_width'",
            "a class made without all its arguments",
            "without num_heads, hidden_width",
        ),
        (
            "softmax",
            "m = np.max(E)",
            "max(): argument 'dim' must be int, not NoneType",
            NUMPY,
            "`np.max` works on NumPy arrays",
        ),
        ("softmax", "m = np.sum(E, axis=-1)", "sum() got an unexpected keyword argument 'axis'", NUMPY, "`np.sum`"),
        (
            "softmax",
            "m = total(E, axis=-1)",
            "total() got an unexpected keyword argument 'axis'",
            CALL,
            "`total` has no",
        ),
        (
            "softmax",
            "m = E.sum(dims=1)",
            "sum() received an invalid combination of arguments - got (dims=int)",
            CALL,
            "`sum`",
        ),
    ],
)
def test_whose_arguments_do_not_fit(exercise, line, message, cause, words):
    name, hint = _told(exercise, line, message)
    assert name == cause
    assert words in hint


def test_no_cause_is_read_off_an_argument_that_numpy_fills_in():
    name, _ = _told(
        "softmax", "", "max() received an invalid combination of arguments - got (out=NoneType, axis=int, )"
    )
    assert name == NUMPY


def test_a_refusal_is_attributed_to_the_function_that_raises_it():
    def told(line):
        message = f"f stopped with an error in line 7: {line}"
        return symptom(
            CheckFailure("crash", message, received="ValueError: num_heads should divide the width 10."), None
        )

    called, own = told("K = split_heads(W(X), 6)"), told('raise ValueError("no")')
    assert called is not None
    assert called[0] == "a function refuses what it is given"
    assert "num_heads should divide the width 10." in called[1]
    assert own is not None
    assert own[0] == "an input refused that is allowed"
