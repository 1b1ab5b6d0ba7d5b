"""The autograder's own references, against PyTorch and against numbers worked out by hand."""

import math

import pytest
import torch
from torch import nn

from autograder.checks.inputs import Draw, Sizes
from autograder.lessons.attention import references


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_the_definition(lead, masked):
    draw, sizes = Draw(1, "t"), Sizes()
    Q, K, V = draw.attention_inputs(lead, sizes)
    allowed = draw.allowed(*lead, sizes.N_Q, sizes.N_K) if masked else None
    Y, A = references.scaled_dot_product_attention(Q, K, V, allowed)
    E = Q @ K.mT / math.sqrt(sizes.D_Q)
    want = torch.softmax(E if allowed is None else E.masked_fill(~allowed, -math.inf), -1)
    torch.testing.assert_close(A, want)
    torch.testing.assert_close(Y, want @ V)
    torch.testing.assert_close(Y, torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=allowed))


def test_a_query_that_may_attend_to_nothing_gets_zeros():
    Q, K, V = Draw(1, "t").attention_inputs((), Sizes())
    Y, A = references.scaled_dot_product_attention(Q, K, V, torch.zeros(7, dtype=torch.bool))
    assert not Y.any()
    assert not A.any()


def test_by_hand_one_query_two_keys():
    Q, K = torch.tensor([[2.0, 0.0, 0.0, 0.0]]), torch.tensor([[math.log(3), 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 0.0]])
    Y, A = references.scaled_dot_product_attention(Q, K, torch.tensor([[4.0], [8.0]]))
    torch.testing.assert_close(A, torch.tensor([[0.75, 0.25]]))  # similarities log 3 and 0, after dividing by √4
    torch.testing.assert_close(Y, torch.tensor([[5.0]]))


def test_self_attention_equals_multi_head_attention_with_one_head():
    D = 7
    layer, theirs = (
        references.SelfAttention(D, D, D).double(),
        nn.MultiheadAttention(D, 1, bias=False, batch_first=True).double(),
    )
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.W_Q.weight, layer.W_K.weight, layer.W_V.weight]))
        theirs.out_proj.weight.copy_(torch.eye(D))
    X = torch.randn(3, 5, D, dtype=torch.float64)
    for mine, other in zip(layer(X), theirs(X, X, X), strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize(("N_Q", "N_K"), [(1, 1), (3, 3), (2, 5)])
def test_causal_mask(N_Q, N_K):
    want = [[j <= i + N_K - N_Q for j in range(N_K)] for i in range(N_Q)]
    assert references.causal_mask(N_Q, N_K).tolist() == want
