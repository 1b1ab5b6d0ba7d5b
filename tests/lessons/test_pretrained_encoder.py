"""The check of PretrainedEncoder names the first layer that differs, and the tensor or the setting that explains it."""

import pytest
import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.checks.inputs import Draw
from autograder.content.references import namespace
from autograder.lessons.fine_tuning import references
from autograder.lessons.fine_tuning.checks import check_PretrainedEncoder as check
from autograder.runtime.errors import CheckFailure

HEAD = """
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        own = {our_name(name): tensor for name, tensor in state.items() if our_name(name)}
        eps = config["layer_norm_eps"]
"""
TAIL = """
        self.load_state_dict(own, strict=False)
        for part in self.modules():
            if hasattr(part, "eps"):
                part.eps = eps
"""


@pytest.fixture(scope="module")
def given():
    return check.checkpoint(Draw(3, "bert"), check.SMALL, 0.1)


def failure_of(line, given):
    """Return the failure of an encoder with one more line before its weights are loaded, or None."""
    lesson = LESSONS.of("10-fine-tuning")
    names = namespace(lesson)
    exec(compile(f"{HEAD}        {line}\n{TAIL}", "answer", "exec"), names)
    ids, segments = check.tokens(Draw(3, "ids"), given, 2, 9)
    try:
        check.agree(NotebookStudent(names, lesson, deep=False), given, ids, segments)
    except CheckFailure as failure:
        return failure
    return None


def test_a_right_encoder_passes(given):
    assert failure_of("pass", given) is None


@pytest.mark.parametrize("block", [0, 1, 2])
@pytest.mark.parametrize("part", ["attention.self.value.weight", "output.LayerNorm.bias", "intermediate.dense.bias"])
def test_names_the_block_and_the_tensor_that_is_missing(block, part, given):
    name = f"encoder.layer.{block}.{part}"
    failure = failure_of(f"own.pop(our_name({name!r}), None)", given)
    assert f"after block {block}." in failure.message
    assert name in failure.message
    assert failure.cause == "tensor not loaded"


def test_names_the_embeddings_and_their_tensor(given):
    failure = failure_of("del own['embeddings.segments.weight']", given)
    assert "after the embeddings" in failure.message
    assert "token_type_embeddings" in failure.message


def test_names_a_transposed_weight(given):
    name = "blocks.blocks.1.attention.W_K.weight"
    # Without block 1 it stops; then the last Y is shown.
    failure = failure_of(f"own[{name!r}] = own[{name!r}].T", given)
    assert failure.cause == "weight transposed"
    assert name in failure.message


def test_names_what_is_in_another_tensors_place(given):
    failure = failure_of("own['blocks.blocks.1.norm_1.gamma'] = own['blocks.blocks.1.norm_2.gamma']", given)
    assert failure.cause == "tensor in another's place"
    assert "encoder.layer.1.output.LayerNorm.weight" in failure.hint


def test_names_the_usual_eps(given):
    failure = failure_of("eps = 1e-5", given)
    assert failure.cause == "eps not set"
    assert "1e-05" in failure.hint
    assert "0.1" in failure.hint


def test_each_tensor_is_seen_to_arrive(given):
    """Whichever single tensor keeps what it began with, the check of the tensors says so."""
    torch.manual_seed(0)
    right = references.PretrainedEncoder(given.state, given.config).state_dict()
    for name in given.state:
        own = references.our_name(name)
        if own is None:
            continue
        failure = check.misplaced(given, {**right, own: torch.randn_like(right[own])})
        assert name in failure.message
    assert check.misplaced(given, right) is None
