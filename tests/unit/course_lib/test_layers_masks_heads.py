import pytest
import torch

from course_lib.layers import causal_mask, masks, merge_heads, padding_mask, split_heads


def test_a_causal_mask_written_out():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    assert causal_mask(3).tolist() == expected
    assert causal_mask(3).dtype == torch.bool


@pytest.mark.parametrize(("N_Q", "N_K"), [(3, 5), (5, 3), (1, 7), (7, 1), (2, 2), (3, 0), (0, 3)])
def test_the_last_query_of_a_causal_mask_is_aligned_with_the_last_key(N_Q, N_K):
    allowed = causal_mask(N_Q, N_K)
    assert allowed.tolist() == [[j <= i + N_K - N_Q for j in range(N_K)] for i in range(N_Q)]


def test_a_causal_mask_lies_on_the_device_asked_for():
    assert causal_mask(3, device="meta").device == torch.device("meta")
    assert causal_mask(3, 5, torch.device("meta")).shape == (3, 5)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_a_padding_mask_written_out(dtype):
    allowed = padding_mask(torch.tensor([2, 0, 3, 5], dtype=dtype), 3)
    assert allowed.shape == (4, 1, 1, 3)
    rows = [[True, True, False], [False, False, False], [True, True, True], [True, True, True]]
    assert allowed[:, 0, 0].tolist() == rows


def test_a_padding_mask_lies_where_the_lengths_are():
    assert padding_mask(torch.ones(3, dtype=torch.int64, device="meta"), 5).device == torch.device("meta")


@pytest.mark.parametrize("lengths", [torch.tensor([2.0, 3.0]), torch.tensor([True, False])])
def test_lengths_that_are_no_whole_numbers_are_an_error(lengths):
    with pytest.raises(TypeError):
        padding_mask(lengths, 5)
    with pytest.raises(TypeError, match=r"whole numbers.*got torch\.(float32|bool)"):
        masks.check_lengths(lengths)


def test_lengths_of_another_shape_are_an_error():
    with pytest.raises(ValueError, match=r"shape \(B,\).*got \(\)\. For a single example"):
        masks.check_lengths(torch.tensor(3))


def test_a_mask_that_is_not_bool_is_an_error_that_says_how_to_make_it_one():
    with pytest.raises(TypeError, match=r"bool tensor.*got torch\.float32.*mask == 0.*mask\.bool\(\)"):
        masks.check_is_mask(torch.zeros(3, 5))


def test_a_causal_mask_is_joined_with_another(generator):
    allowed = torch.rand(2, 1, 1, 5, generator=generator) < 0.5
    shape, device = (2, 7, 3, 5), allowed.device
    assert torch.equal(masks.join_causal(allowed, shape, device), allowed & causal_mask(3, 5))
    assert torch.equal(masks.join_causal(None, shape, device), causal_mask(3, 5))
    with pytest.raises(ValueError, match=r"broadcast to .* \(2, 7, 3, 5\), got \(2, 1, 1, 4\)"):
        masks.join_causal(allowed[..., :4], shape, device)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_head_h_holds_its_own_columns(generator, leading):
    X = torch.randn(*leading, 11, 35, generator=generator)
    heads = split_heads(X, 5)
    assert heads.shape == (*leading, 5, 11, 7)
    for h in range(5):
        assert torch.equal(heads[..., h, :, :], X[..., h * 7 : (h + 1) * 7])
    assert heads.data_ptr() == X.data_ptr()  # nothing was copied
    assert torch.equal(merge_heads(heads), X)


def test_merged_heads_stand_side_by_side(generator):
    Y = torch.randn(2, 5, 11, 7, generator=generator)
    merged = merge_heads(Y)
    assert merged.shape == (2, 11, 35)
    assert torch.equal(merged, torch.cat([Y[:, h] for h in range(5)], dim=-1))


@pytest.mark.parametrize("num_heads", [2, 0, -5, 36])
def test_a_number_of_heads_that_does_not_divide_is_an_error_that_names_those_that_do(num_heads):
    with pytest.raises(ValueError, match=rf"got {num_heads} heads for a width of 35\..* 1, 5, 7, 35 would do"):
        split_heads(torch.ones(11, 35), num_heads)
