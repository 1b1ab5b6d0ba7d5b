"""The check of ModernDecoder names the first depth that differs, and the tensor or the layout that explains it."""

import pytest
import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.checks.inputs import Draw
from autograder.content.references import namespace
from autograder.lessons.modern_attention import references
from autograder.lessons.modern_attention.checks import check_ModernDecoder as check
from autograder.runtime.errors import CheckFailure

ANSWER = """
class Answer(ModernDecoder):
    def load(self, state, config, layout):
        super().load(state, config, layout)
        own = {{name: tensor.clone() for name, tensor in self.state_dict().items()}}
        {line}
        self.load_state_dict(own, strict=False)


ModernDecoder = Answer
"""


@pytest.fixture(scope="module", params=["half", "interleaved"])
def given(request):
    return check.checkpoint(Draw(3, "llama"), check.SMALL, request.param)


def failure_of(line, given):
    """Return the failure of a decoder whose weights are changed by one more line after they are loaded, or None."""
    lesson = LESSONS.of("15-modern-attention")
    names = namespace(lesson) | {"ModernDecoder": references.ModernDecoder}
    exec(compile(ANSWER.format(line=line), "answer", "exec"), names)
    try:
        check.agree(NotebookStudent(names, lesson, deep=False), given, check.tokens(Draw(3, "ids"), given, 2, 9))
    except CheckFailure as failure:
        return failure
    return None


def test_a_right_decoder_passes(given):
    assert failure_of("pass", given) is None


@pytest.mark.parametrize("block", [0, 1, 2])
@pytest.mark.parametrize("part", ["self_attn.v_proj", "post_attention_layernorm", "mlp.up_proj"])
def test_names_the_block_and_the_tensor_that_is_missing(block, part, given):
    name = f"model.layers.{block}.{part}.weight"
    own = references.llama_name(name)
    failure = failure_of(f"own[{own!r}] = torch.ones_like(own[{own!r}])", given)
    assert f"with {block + 1} of the blocks." in failure.message
    assert name in failure.message
    assert failure.cause == "tensor not loaded"


def test_names_a_transposed_weight(given):
    own = "blocks.1.attention.W_Q.weight"
    failure = failure_of(f"own[{own!r}] = own[{own!r}].T.contiguous()", given)
    assert failure.cause == "weight transposed"
    assert "layers.1.self_attn.q_proj" in failure.message


def test_names_what_is_in_another_tensors_place(given):
    failure = failure_of("own['blocks.1.gamma_1'] = own['blocks.1.gamma_2']", given)
    assert failure.cause == "tensor in another's place"
    assert "model.layers.1.post_attention_layernorm.weight" in failure.hint


def test_names_the_layout():
    given = check.checkpoint(Draw(3, "llama"), check.SMALL, "interleaved")
    name = "model.layers.0.self_attn.q_proj.weight"
    parameters = {references.llama_name(each): tensor for each, tensor in given.state.items()}
    failure = check.misplaced(given, parameters)
    assert failure.cause == "rotary layout not converted"
    assert name in failure.message


@pytest.mark.parametrize(("change", "cause"), [(0, "rows"), (1, "columns")])
def test_names_rows_and_columns_in_another_order(change, cause, given):
    own = "blocks.2.attention.W_V.weight"
    right = references.ModernDecoder(given.state, given.config, given.layout).state_dict()
    changed = right[own].flip(change)
    assert check.misplaced(given, {**right, own: changed}).cause == f"{cause} in the wrong order"


def test_each_tensor_is_seen_to_arrive(given):
    """Whichever single tensor keeps what it began with, the check of the tensors says so."""
    torch.manual_seed(0)
    right = references.ModernDecoder(given.state, given.config, given.layout).state_dict()
    for name in given.state:
        own = references.llama_name(name)
        assert name in check.misplaced(given, {**right, own: torch.randn_like(right[own])}).message
    assert check.misplaced(given, right) is None
