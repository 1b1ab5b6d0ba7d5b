"""What a check says of a checkpoint that was loaded wrongly."""

import contextlib

import pytest
import torch

from autograder.checks import CheckFailure, loading

NAMES = {"embed": "embedding.weight", "norm": "blocks.0.norm", "angles": None}


def rename_with(**wrong):
    return lambda name: {**NAMES, **wrong}[name]


def compare_names(rename, explain=lambda name, want, got: ("", "")):
    loading.names_are(NAMES, NAMES.get, rename, "Model", explain, "Pair them.")


def test_right_names_pass():
    compare_names(rename_with())


@pytest.mark.parametrize(
    ("given", "shown"), [("embedding.bias", "embedding.bias"), (None, "None"), ("", "an empty text"), (7, "a int")]
)
def test_a_wrong_name_is_shown(given, shown):
    with pytest.raises(CheckFailure) as caught:
        compare_names(rename_with(embed=given), lambda *about: ("a cause", f"{about[2]!r}."))
    failure = caught.value
    assert (failure.kind, failure.expected, failure.yours) == ("name", "embedding.weight", shown)
    assert failure.message == "embed is not mapped to its name in Model."
    assert (failure.cause, failure.hint) == ("a cause", f"{given!r}. Pair them.")


def test_a_name_for_a_tensor_without_a_place_fails():
    with pytest.raises(CheckFailure, match="angles") as caught:
        compare_names(rename_with(angles="angles"))
    assert caught.value.hint == "Pair them."


def test_numbers_are_compared_in_float32():
    X = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    assert loading.same_numbers(X.double().requires_grad_(), X)
    assert not loading.same_numbers(X + 1, X)
    assert not loading.same_numbers(X[:, :4], X)
    assert not loading.same_numbers(X.mT, X)


def test_a_misplaced_tensor_is_named():
    tensors = {"query": torch.arange(6.0).view(2, 3), "key": torch.ones(2, 3)}
    assert loading.transposed(tensors["query"].mT)[1] == "weight transposed"
    shown, cause, hint = loading.other_tensor(tensors["key"], tensors)
    assert (shown, cause) == ("that of key", "tensor in another's place")
    assert "key" in hint
    assert loading.other_tensor(torch.zeros(2, 3), tensors)[1] == "tensor not loaded"
    failure = loading.misplaced(
        "query", "W_Q", "block 2", tensors["query"], None, "2 blocks", ("nothing", "missing", "Fill it.")
    )
    assert failure.message == "In block 2, the checkpoint's query is not in W_Q."
    assert (failure.received, failure.setting, failure.cause) == ("no such parameter", "2 blocks", "missing")
    assert failure.wanted is tensors["query"]


@pytest.mark.parametrize("gradient", [None, torch.zeros(3)])
def test_a_frozen_parameter_fails(gradient):
    with pytest.raises(CheckFailure, match="W_Q gets no gradient"):
        loading.gradient_reaches("W_Q", gradient, "2 blocks", "query")
    loading.gradient_reaches("W_Q", torch.ones(3), "2 blocks", "query")


def test_a_checkpoint_that_is_accepted_or_refused_without_a_sentence_fails():
    def refuse(sentence):
        def load(state):
            raise CheckFailure("crash", "", received=f"KeyError: {sentence}")

        return load

    loading.refuses_state("A checkpoint", refuse("norm is missing"), {})
    for load in (refuse(""), lambda state: None):
        with pytest.raises(CheckFailure) as caught:
            loading.refuses_state("A checkpoint", load, {}, ", or is left out,")
        assert caught.value.kind in ("error type", "accepted")


@pytest.mark.parametrize(
    ("message", "accepted"),
    [
        ("no norm.bias", True),
        ("'output.LayerNorm.bias'", True),
        ("norm has another shape", True),
        ("it does not fit", False),
        (f"expected {'embeddings, ' * 30}", True),
    ],
)
def test_the_error_of_a_checkpoint_that_does_not_fit_says_which_weight(message, accepted):
    def load(state):
        raise CheckFailure("crash", "", received=f"ValueError: {message}"[:300])

    names = ("output.LayerNorm.bias", "norm.bias")
    refused = contextlib.nullcontext() if accepted else pytest.raises(CheckFailure, match="does not say which weight")
    with refused:
        loading.refuses_state("A checkpoint", load, {}, weight=names)
