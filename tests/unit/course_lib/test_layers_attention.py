import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from course_lib.layers import attention, attention_weights, causal_mask, padding_mask, scaled_dot_product_attention
from course_lib.layers.attention import attend_without_weights

B, H, N_Q, N_K, D_Q, D_V = 2, 3, 5, 7, 11, 13
LENGTHS = torch.tensor([2, 6])


def draw(generator, *shapes, dtype=torch.float64):
    return [torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_() for shape in shapes]


def draw_qkv(generator, *leading, dtype=torch.float64):
    return draw(generator, (*leading, N_Q, D_Q), (*leading, N_K, D_Q), (*leading, N_K, D_V), dtype=dtype)


def assert_same(mine, theirs):
    assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def gradients(Y, *inputs):
    return torch.autograd.grad(Y.pow(2).sum(), inputs)


def draw_mask(generator, *shape):
    """A mask in which every query may attend to key 0."""
    allowed = torch.rand(*shape, generator=generator) < 0.5
    allowed[..., 0] = True
    return allowed


def test_two_keys_by_hand():
    Q = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    K = torch.tensor([[0.0, 5.0, 0.0, 0.0], [math.log(3.0), 0.0, 0.0, 0.0]])
    Y, A = scaled_dot_product_attention(Q, K, torch.tensor([[0.0, 4.0], [8.0, 0.0]]))
    assert_close(A, torch.tensor([[0.25, 0.75]]))  # similarities 0 and 2 · log 3 / √4
    assert_close(Y, torch.tensor([[6.0, 1.0]]))


@pytest.mark.parametrize("leading", [(), (B,), (B, H), (B, 1, H)])
def test_any_number_of_leading_axes(generator, leading):
    Q, K, V = draw_qkv(generator, *leading)
    Y, A = scaled_dot_product_attention(Q, K, V)
    assert A.shape == (*leading, N_Q, N_K)
    assert_same(A.sum(dim=-1), torch.ones(*leading, N_Q, dtype=torch.float64))
    assert_same(A, attention_weights(Q, K))
    for mine in (Y, attend_without_weights(Q, K, V)):
        expected = F.scaled_dot_product_attention(Q, K, V)
        assert_same(mine, expected)
        for ours, theirs in zip(gradients(mine, Q, K, V), gradients(expected, Q, K, V), strict=True):
            assert_same(ours, theirs)


MASK_SHAPES = [(N_K,), (N_Q, N_K), (1, N_K), (H, 1, N_K), (B, 1, 1, N_K), (B, H, N_Q, N_K)]


@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
def test_masks_of_all_shapes_that_broadcast(generator, shape):
    Q, K, V = draw_qkv(generator, B, H)
    allowed = draw_mask(generator, *shape)
    Y, A = scaled_dot_product_attention(Q, K, V, allowed)
    assert (A[~allowed.expand(A.shape)] == 0).all()
    for mine in (Y, attend_without_weights(Q, K, V, allowed)):
        expected = F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed.expand(A.shape))
        assert_same(mine, expected)
        for ours, theirs in zip(gradients(mine, Q, K, V), gradients(expected, Q, K, V), strict=True):
            assert_same(ours, theirs)


@pytest.mark.parametrize("shape", [(N_Q, 1), (1, 1), (B, 1, N_Q, 1)], ids=str)
def test_a_mask_may_also_hide_everything_from_some_queries(generator, shape):
    Q, K, V = draw_qkv(generator, B, H)
    allowed = torch.arange(math.prod(shape)).reshape(shape) % 2 == 0
    expected = F.scaled_dot_product_attention(Q, K, V) * allowed
    assert_same(scaled_dot_product_attention(Q, K, V, allowed)[0], expected)
    assert_same(attend_without_weights(Q, K, V, allowed), expected)


def test_hidden_keys_and_values_have_no_effect(generator):
    Q, K, V = draw_qkv(generator, B, H)
    allowed = padding_mask(LENGTHS, N_K)
    hidden = ~allowed.mT  # (B, 1, N_K, 1)
    K_other, V_other = K.masked_fill(hidden, 1e9), V.masked_fill(hidden, -1e9)
    Y, _ = scaled_dot_product_attention(Q, K, V, allowed)
    assert torch.equal(scaled_dot_product_attention(Q, K_other, V_other, allowed)[0], Y)
    assert_same(attend_without_weights(Q, K_other, V_other, allowed), Y)
    for gradient in gradients(Y, K, V):
        assert (gradient.masked_select(hidden) == 0).all()


def test_large_similarities_make_no_nan():
    Q = torch.tensor([[1e4, 0.0]])
    K = torch.tensor([[1e4, 0.0], [-1e4, 0.0], [0.0, 1e4]])
    assert torch.equal(attention_weights(Q, K), torch.tensor([[1.0, 0.0, 0.0]]))
    assert torch.equal(attention_weights(Q, K, torch.tensor([False, True, False])), torch.tensor([[0.0, 1.0, 0.0]]))


def mask_with_empty_rows(generator):
    allowed = draw_mask(generator, B, H, N_Q, N_K)
    allowed[0, 1, 3] = allowed[1, :, 2] = False
    empty = ~allowed.any(dim=-1)  # (B, H, N_Q)
    assert empty.sum() == 1 + H
    return allowed, empty


def without_weights(Q, K, V, allowed):
    return attend_without_weights(Q, K, V, allowed)


def without_weights_in_training(Q, K, V, allowed):
    return attend_without_weights(Q, K, V, allowed, dropout=1e-12)


def fused_in_training(Q, K, V, allowed):
    return attention.attend_fused(Q, K, V, allowed, 1e-12)  # another kernel than without dropout


def with_weights(Q, K, V, allowed):
    return scaled_dot_product_attention(Q, K, V, allowed)[0]


ways = pytest.mark.parametrize("way", [with_weights, without_weights, without_weights_in_training, fused_in_training])


@ways
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_query_that_may_attend_to_nothing_gets_zeros_and_no_gradient(generator, way, dtype):
    Q, K, V = draw_qkv(generator, B, H, dtype=dtype)
    allowed, empty = mask_with_empty_rows(generator)
    Y = way(Q, K, V, allowed)
    found = gradients(Y, Q, K, V)
    assert (Y[empty] == 0).all()
    assert (found[0][empty] == 0).all()
    # All others are as if the empty rows were not there.
    full = allowed | empty[..., None]
    expected = F.scaled_dot_product_attention(Q, K, V, attn_mask=full) * ~empty[..., None]
    assert_close(Y, expected)
    for ours, theirs in zip(found, gradients(expected, Q, K, V), strict=True):
        assert_close(ours, theirs)


def test_the_weights_of_an_empty_row_are_zeros(generator):
    Q, K, _ = draw_qkv(generator, B, H)
    allowed, empty = mask_with_empty_rows(generator)
    A = attention_weights(Q, K, allowed)
    assert (A[empty] == 0).all()
    assert_same(A.sum(dim=-1), (~empty).double())
    assert gradients(A, Q, K)[0].isfinite().all()


@ways
def test_a_mask_that_hides_everything(generator, way):
    Q, K, V = draw_qkv(generator, B, H)
    Y = way(Q, K, V, torch.zeros(N_Q, N_K, dtype=torch.bool))
    assert (Y == 0).all()
    assert all((gradient == 0).all() for gradient in gradients(Y, Q, K, V))


def test_empty_rows_do_not_depend_on_what_pytorch_makes_of_them(generator, monkeypatch):
    def naive(Q, K, V, attn_mask=None, dropout_p=0.0, is_causal=False):
        E = (Q @ K.mT / math.sqrt(D_Q)).masked_fill(~attn_mask, -math.inf)
        return torch.softmax(E, dim=-1) @ V  # NaN in empty rows

    Q, K, V = draw_qkv(generator, B, H)
    allowed, empty = mask_with_empty_rows(generator)
    monkeypatch.setattr(F, "scaled_dot_product_attention", naive)
    assert naive(Q, K, V, allowed)[empty].isnan().all()
    Y = attend_without_weights(Q, K, V, allowed)
    assert (Y[empty] == 0).all()
    assert all(gradient.isfinite().all() for gradient in gradients(Y, Q, K, V))


@pytest.mark.parametrize(("queries", "keys"), [(5, 5), (5, 7), (7, 5), (1, 7)])
@pytest.mark.parametrize("masked", [False, True])
def test_causal_without_weights_is_the_causal_mask(generator, queries, keys, masked):
    Q, K, V = draw(generator, (B, H, queries, D_Q), (B, H, keys, D_Q), (B, H, keys, D_V))
    allowed = torch.rand(B, 1, 1, keys, generator=generator) < 0.5 if masked else None
    both = causal_mask(queries, keys) if allowed is None else causal_mask(queries, keys) & allowed
    expected = scaled_dot_product_attention(Q, K, V, both)[0]
    assert_same(attend_without_weights(Q, K, V, allowed, causal=True), expected)


def test_a_plain_causal_mask_is_left_to_the_kernel(generator, monkeypatch):
    calls = []
    real = F.scaled_dot_product_attention
    monkeypatch.setattr(
        F, "scaled_dot_product_attention", lambda *args, **options: calls.append(options) or real(*args, **options)
    )
    Q, K, V = draw(generator, (B, H, N_Q, D_Q), (B, H, N_Q, D_Q), (B, H, N_Q, D_V))
    attend_without_weights(Q, K, V, causal=True)
    assert calls == [{"dropout_p": 0.0, "is_causal": True}]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_dropout_without_weights_drops_weights_and_enlarges_the_others(generator, masked, causal):
    torch.manual_seed(1729)
    queries, keys, rate = 61, 53, 0.25
    Q, K = draw(generator, (B, H, queries, D_Q), (B, H, keys, D_Q))
    allowed = draw_mask(generator, B, 1, queries, keys) if masked else None
    both = attention.join_causal(allowed, (B, H, queries, keys), Q.device) if causal else allowed
    identity = torch.eye(keys, dtype=torch.float64).expand(B, H, keys, keys)  # Y = A V is A itself
    A = attention_weights(Q, K, both)
    dropped = attend_without_weights(Q, K, identity, allowed, causal, rate)
    kept = dropped != 0
    assert_same(dropped[kept], A[kept] / (1 - rate))
    attended = A > 0
    share = 1 - kept[attended].double().mean().item()
    assert abs(share - rate) < 5 * math.sqrt(rate * (1 - rate) / attended.sum().item())


@pytest.mark.parametrize("shape", [(N_K, N_Q), (N_K + 1,), (B, N_Q, N_K), (2, B, H, N_Q, N_K)], ids=str)
def test_a_mask_that_does_not_broadcast_is_an_error_that_says_what_would(generator, shape):
    Q, K, V = draw_qkv(generator, B, H)
    allowed = torch.ones(shape, dtype=torch.bool)
    for call in (scaled_dot_product_attention, attend_without_weights):
        with pytest.raises(ValueError, match=r"broadcast to .* = \(2, 3, 5, 7\), got .*needs allowed\[:, None\]"):
            call(Q, K, V, allowed)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_a_mask_that_is_not_bool_is_an_error(generator, dtype):
    Q, K, V = draw_qkv(generator)
    for call in (scaled_dot_product_attention, attend_without_weights):
        with pytest.raises(TypeError):
            call(Q, K, V, torch.zeros(N_Q, N_K, dtype=dtype))


def test_shapes_that_do_not_fit_are_errors_that_give_both():
    with pytest.raises(ValueError, match=r"of one width D_Q, got \(5, 11\) and \(7, 13\)"):
        attention.check_widths(torch.ones(5, 11), torch.ones(7, 13))
    with pytest.raises(ValueError, match=r"got 7 keys and 5 values: K is \(7, 11\), V is \(5, 11\)"):
        attention.check_values(torch.ones(7, 11), torch.ones(5, 11))


def test_a_mask_for_the_keys_of_every_example_fits_queries_that_all_share():
    Q, K, V = torch.randn(5, 11), torch.randn(3, 7, 11), torch.randn(3, 7, 13)
    allowed = padding_mask(torch.tensor([7, 2, 5]), 7)[:, 0]  # (B, 1, N_K)
    assert_close(attend_without_weights(Q, K, V, allowed), scaled_dot_product_attention(Q, K, V, allowed)[0])
