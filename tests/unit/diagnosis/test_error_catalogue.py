"""PyTorch's own messages, as this version of it writes them, have a name each."""

import pytest
import torch
import torch.nn.functional as F

from autograder.diagnosis.symptoms import symptom
from autograder.runtime.errors import CheckFailure

X = torch.zeros(2, 3)
MASK = torch.ones(3, dtype=torch.bool)
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
        (lambda: X.requires_grad_().numpy(), "no gradient"),
        (lambda: X.topk(4), "more asked for than there is"),
        (lambda: torch.nn.Linear(3), "a class made without all its arguments"),
    ],
)
def test_a_message_has_a_name(call, cause):
    with pytest.raises(Exception) as caught:
        call()
    X.requires_grad_(False)
    text = f"{type(caught.value).__name__}: {caught.value}"
    told = symptom(CheckFailure("crash", "", received=text), None)
    assert told is not None
    assert told[0] == cause
    assert told[1]
