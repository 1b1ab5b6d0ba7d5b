"""The references of lesson 16 against PyTorch's own attention and autograd, and against definitions written out, in float64."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right

from autograder.checks.inputs import Draw
from autograder.lessons.attention_kernels import references as right

CLOSE = {"rtol": 1e-10, "atol": 1e-10}


@pytest.fixture
def draw():
    return Draw(5, "references of lesson 16")


def inputs(draw, N_Q, N_K):
    return draw.normal(2, 3, N_Q, 11), draw.normal(2, 3, N_K, 11), draw.normal(2, 3, N_K, 13)


@pytest.mark.parametrize(("N_Q", "N_K"), [(1, 7), (5, 7), (7, 7)])
@pytest.mark.parametrize("causal", [False, True])
def test_forward_is_attention_of_pytorch(draw, N_Q, N_K, causal):
    Q, K, V = inputs(draw, N_Q, N_K)
    Y, L = right.flash_forward(Q, K, V, causal=causal)
    mask = torch.ones(N_Q, N_K, dtype=torch.bool).tril(N_K - N_Q) if causal else None
    torch.testing.assert_close(Y, F.scaled_dot_product_attention(Q, K, V, mask), **CLOSE)
    E = (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(-1) / math.sqrt(11)
    wanted = torch.stack(
        [E[..., i, : N_K - N_Q + i + 1 if causal else N_K].exp().sum(-1).log() for i in range(N_Q)], -1
    )
    torch.testing.assert_close(L, wanted, **CLOSE)


def test_the_causal_mask_ends_at_the_lower_right():
    bias = causal_lower_right(3, 5)._materialize()
    assert torch.equal(right.causal_mask(3, 5), bias == 0 if bias.is_floating_point() else bias)


def test_rows_without_keys_are_zeros():
    Y, L = right.flash_forward(torch.randn(5, 4), torch.randn(2, 4), torch.randn(2, 3), causal=True)
    assert (Y[:3] == 0).all()
    assert torch.isneginf(L[:3]).all()
    assert L[3:].isfinite().all()
    Y, L = right.flash_forward(torch.randn(5, 4), torch.randn(0, 4), torch.randn(0, 3))
    assert (Y == 0).all()
    assert torch.isneginf(L).all()


@pytest.mark.parametrize("causal", [False, True])
def test_backward_is_autograd_through_attention_of_pytorch(draw, causal):
    Q, K, V = (x.requires_grad_() for x in inputs(draw, 5, 7))
    mask = right.causal_mask(5, 7) if causal else None
    Y = F.scaled_dot_product_attention(Q, K, V, mask)
    dY = draw.normal(*Y.shape)
    wanted = torch.autograd.grad(Y, (Q, K, V), dY)
    with torch.no_grad():
        got = right.flash_backward(Q, K, V, *right.flash_forward(Q, K, V, causal=causal), dY, causal=causal)
    for value, want in zip(got, wanted, strict=True):
        torch.testing.assert_close(value, want, **CLOSE)


def test_states_of_any_split_join_to_the_whole(draw):
    q, K, V = draw.normal(6, 11), draw.normal(2, 9, 11), draw.normal(2, 9, 13)
    want = F.scaled_dot_product_attention(q[None, :, None], K[None], V[None], enable_gqa=True)[0, :, 0]
    for splits in (1, 2, 4, 9, 12):
        Ys, Ls = right.split_states(q, K, V, splits)
        Y, L = Ys[0], Ls[0]
        for other in range(1, splits):
            Y, L = right.merge_states(Y, L, Ys[other], Ls[other])
        torch.testing.assert_close(Y, want, **CLOSE)


def test_merging_is_associative_and_has_an_empty_state(draw):
    a, b, c = ((draw.normal(5, 3), draw.normal(5)) for _ in range(3))
    one = right.merge_states(*right.merge_states(*a, *b), *c)
    other = right.merge_states(*a, *right.merge_states(*b, *c))
    empty = torch.zeros(5, 3, dtype=torch.float64), torch.full((5,), -math.inf, dtype=torch.float64)
    for got, want in ((one, other), (right.merge_states(*empty, *a), a), (right.merge_states(*empty, *empty), empty)):
        for value, wanted in zip(got, want, strict=True):
            torch.testing.assert_close(value, wanted, **CLOSE)


def test_the_bill_counts_what_a_loop_over_pairs_counts():
    for N_Q, N_K, block, causal in ((5, 9, 4, True), (9, 5, 4, True), (9, 9, 2, False), (7, 7, 16, True)):
        pairs, loaded = 0, 0
        for first in range(0, N_Q, block):
            rows = range(first, min(first + block, N_Q))
            for start in range(0, N_K, block):
                columns = range(start, min(start + block, N_K))
                if not causal or any(j <= i + N_K - N_Q for i in rows for j in columns):
                    pairs, loaded = pairs + len(rows) * len(columns), loaded + 2 * len(columns)
        assert right.attention_bill(N_Q, N_K, 3, block, causal, 2) == (12 * pairs, 2 * 3 * (2 * N_Q + loaded))
    assert right.attention_bill(2, 3, 5) == (4 * 2 * 3 * 5, 4 * (2 * 5 * 5 + 4 * 6))


def test_kinds_of_blocks(draw):
    allowed = torch.rand(7, 11, generator=draw.generator) < 0.5
    allowed[:3, :4], allowed[3:6, 4:8] = True, False
    kinds = right.block_kinds(allowed, 3, 4)
    for a in range(3):
        for b in range(3):
            tile = allowed[3 * a : 3 * a + 3, 4 * b : 4 * b + 4]
            assert kinds[a, b] == int(tile.any()) + int(tile.all())


def test_attention_under_a_block_mask(draw):
    Q, K, V = draw.normal(7, 5), draw.normal(11, 5), draw.normal(11, 3)
    allowed = draw.allowed(7, 11)
    Y = right.block_sparse_attention(Q, K, V, allowed, right.block_kinds(allowed, 3, 4), 3, 4)
    torch.testing.assert_close(Y, F.scaled_dot_product_attention(Q, K, V, allowed), **CLOSE)


def test_pages_in_any_order_give_attention(draw):
    q, K, V = draw.normal(2, 6, 5), draw.normal(2, 2, 7, 5), draw.normal(2, 2, 7, 3)
    lengths, table = torch.tensor([7, 4]), torch.tensor([[4, 1, 3], [0, 2, -1]])
    K_pages, V_pages = torch.full((5, 3, 2, 5), math.nan).double(), torch.full((5, 3, 2, 3), math.nan).double()
    for b in range(2):
        for t in range(int(lengths[b])):
            K_pages[table[b, t // 3], t % 3], V_pages[table[b, t // 3], t % 3] = K[b, :, t], V[b, :, t]
    Y = right.paged_attention(q, K_pages, V_pages, table, lengths)
    for b, n in enumerate(lengths.tolist()):
        alone = F.scaled_dot_product_attention(
            q[b, None, :, None], K[b, None, :, :n], V[b, None, :, :n], enable_gqa=True
        )
        torch.testing.assert_close(Y[b], alone[0, :, 0], **CLOSE)


def test_packed_texts_are_as_alone(draw):
    Q, K, V = draw.normal(3, 6, 5), draw.normal(3, 9, 5), draw.normal(3, 9, 4)
    Y = right.packed_attention(Q, K, V, torch.tensor([0, 2, 2, 6]), torch.tensor([0, 4, 4, 9]), True)
    for rows, keys in ((slice(0, 2), slice(0, 4)), (slice(2, 6), slice(4, 9))):
        N_Q, N_K = rows.stop - rows.start, keys.stop - keys.start
        alone = F.scaled_dot_product_attention(Q[:, rows], K[:, keys], V[:, keys], right.causal_mask(N_Q, N_K))
        torch.testing.assert_close(Y[:, rows], alone, **CLOSE)
