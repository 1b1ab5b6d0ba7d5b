"""PretrainedEncoder(state, config): small random checkpoints with Hugging Face's names, compared layer by layer.

All sizes of a checkpoint differ, every tensor is random, and eps is large, so that nothing can be in another's place unnoticed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    exercise,
    expect,
    loading,
    points,
    promises,
)
from autograder.lessons.fine_tuning import references

NAME = "PretrainedEncoder"
SIZES = (
    "vocab_size",
    "hidden_size",
    "num_attention_heads",
    "num_hidden_layers",
    "max_position_embeddings",
    "intermediate_size",
)
#: Vocabulary, width, heads, blocks, positions, hidden width.
SMALL, OTHER = (101, 40, 4, 3, 67, 56), (89, 21, 3, 2, 59, 52)
MANY = (23, 6, 2, 13, 17, 10)
#: Rounding of the blocks in float32, as a multiple of that of a sum.
ROUNDING = 16.0
#: Values of eps that are common as a default of LayerNorm.
USUAL_EPS = (1e-5, 1e-12, 1e-6)


@dataclass(frozen=True)
class Checkpoint:
    """Weights under Hugging Face's names in the order in which the model uses them, the sizes, and the order in the file."""

    state: Mapping[str, Tensor]
    config: Mapping[str, Any]
    order: Sequence[str]

    def cut(self, blocks: int) -> "Checkpoint":
        """Return the checkpoint with only the first ``blocks`` blocks."""
        state = {name: tensor for name, tensor in self.state.items() if _block_of(name) < blocks}
        return replace(self, state=state, config={**self.config, "num_hidden_layers": blocks})

    def build(self, student: Student) -> Any:
        return student.build(NAME, loading.in_order(self.state, self.order), dict(self.config))

    @property
    def setting(self) -> str:
        c = self.config
        return (
            f"{c['num_hidden_layers']} blocks of {c['num_attention_heads']} heads, D = {c['hidden_size']}, "
            f"hidden width {c['intermediate_size']}, eps = {c['layer_norm_eps']:g}"
        )


def _block_of(name: str) -> int:
    """Return the number of the block to which a tensor belongs, -1 if none."""
    return int(name.split(".")[2]) if name.startswith("encoder.layer.") else -1


def checkpoint(draw: Draw, sizes: tuple[int, ...], eps: float, pooler: bool = True) -> Checkpoint:
    """Draw a checkpoint with these sizes, in float32."""
    config: dict[str, Any] = dict(zip(SIZES, sizes, strict=True))
    V, D, _, L, longest, hidden = sizes
    state = dict[str, Tensor]()

    def normal(name: str, *shape: int, scale: float, mean: float = 0.0) -> None:
        state[name] = (mean + draw.normal(*shape, scale=scale)).float()

    def linear(name: str, width: int, out: int) -> None:
        normal(f"{name}.weight", out, width, scale=1.5 * width**-0.5)
        normal(f"{name}.bias", out, scale=0.5)

    def norm(name: str) -> None:
        normal(f"{name}.weight", D, scale=0.3, mean=1.0)
        normal(f"{name}.bias", D, scale=0.3)

    for table, rows in (("word", V), ("position", longest), ("token_type", 2)):
        normal(f"embeddings.{table}_embeddings.weight", rows, D, scale=0.5)
    norm("embeddings.LayerNorm")
    for number in range(L):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            linear(f"{layer}.attention.self.{part}", D, D)
        linear(f"{layer}.attention.output.dense", D, D)
        norm(f"{layer}.attention.output.LayerNorm")
        linear(f"{layer}.intermediate.dense", D, hidden)
        linear(f"{layer}.output.dense", hidden, D)
        norm(f"{layer}.output.LayerNorm")
    if pooler:
        linear("pooler.dense", D, D)
    config |= {"layer_norm_eps": eps, "type_vocab_size": 2, "pad_token_id": 0}
    return Checkpoint(state, config, loading.another_order(state, draw))


def tokens(draw: Draw, given: Checkpoint, B: int, N: int) -> tuple[Tensor, Tensor]:
    """Return ids and segments, both (B, N). All rows of ids but the first end in padding."""
    ids = 1 + draw.integers(given.config["vocab_size"] - 1, B, N)
    for b in range(1, B):
        ids[b, max(1, N - 2 * b) :] = 0
    return ids, (torch.arange(N) >= N // 2).long().expand(B, N).contiguous()


def _own(name: str) -> str:
    return references.our_name(name) or ""


def _parameter(parameters: Mapping[str, Any], name: str) -> Any:
    """Return the parameter for the checkpoint's tensor ``name``, or that parameter's gradient; None if there is none.

    A student may replace the norms by PyTorch's own, which call their parameters weight and bias.
    """
    own = _own(name)
    return parameters.get(own, parameters.get(own.replace(".gamma", ".weight").replace(".beta", ".bias")))


def _in_order(given: Checkpoint) -> list[str]:
    """Return the names of the tensors that have a place, in the order in which they are used."""
    return [name for name in given.state if _own(name)]


def _where(name: str) -> str:
    return f"block {_block_of(name)}" if _block_of(name) >= 0 else "the embeddings"


def misplaced(given: Checkpoint, parameters: Mapping[str, Tensor]) -> CheckFailure | None:
    """Return the failure of the first tensor that is not where it belongs; None if all are."""
    for name in _in_order(given):
        tensor, own = given.state[name], _parameter(parameters, name)
        if own is None or not loading.same_numbers(own, tensor):
            instead = _instead(given, name, own)
            return loading.misplaced(name, _own(name), _where(name), tensor, own, given.setting, instead)
    return None


def _instead(given: Checkpoint, name: str, own: Tensor | None) -> loading.Instead:
    """Return what is in the place of a tensor, a cause and a hint."""
    if own is None:
        return "no such parameter", "parameter missing", "The encoder keeps the parameters that it has; fill them."
    tensor = given.state[name]
    if own.dim() == 2 and loading.same_numbers(own.mT, tensor):
        return loading.transposed(own)
    if own.shape == tensor.shape and not bool(own.any()):
        shown = f"{tuple(own.shape)}, {expect.numbers(own)}"
        return shown, "tensor not loaded", "It still has the zeros with which it began."
    return loading.other_tensor(own, given.state)


def agree(student: Student, given: Checkpoint, ids: Tensor, segments: Tensor | None) -> None:
    """Compare Y where no padding is; if it differs, say after which layer it does first, and which tensor explains it."""
    want = references.hidden_states(given.state, given.config, ids, segments)
    if _fits(_output(student, given, ids, segments), want[-1], ids):
        return
    wrong = misplaced(given, given.build(student).parameters())
    for blocks, state in enumerate(want):
        try:
            got = _output(student, given.cut(blocks), ids, segments)
        except CheckFailure:
            continue  # it cannot do with fewer blocks
        if not _fits(got, state, ids):
            where = f"after block {blocks - 1}" if blocks else "after the embeddings"
            raise _differs(given, got, state, ids, segments, where, blocks, wrong)
    raise _differs(
        given, _output(student, given, ids, segments), want[-1], ids, segments, "at the end", len(want) - 1, wrong
    )


def _output(student: Student, given: Checkpoint, ids: Tensor, segments: Tensor | None) -> Tensor:
    inputs = (ids,) if segments is None else (ids, segments)
    value = given.build(student)(*inputs, need_weights=False)
    Y = expect.tensor(value[0] if isinstance(value, tuple | list) and value else value, "Y")
    expect.shape(Y, (*ids.shape, given.config["hidden_size"]), "Y", "(B, N, D)", given.setting)
    return Y


def _fits(got: Tensor, want: Tensor, ids: Tensor) -> bool:
    try:
        expect.allclose(got[ids != 0], want[ids != 0], "Y", size=ROUNDING)
    except CheckFailure:
        return False
    return True


def _differs(
    given: Checkpoint,
    got: Tensor,
    want: Tensor,
    ids: Tensor,
    segments: Tensor | None,
    where: str,
    blocks: int,
    wrong: CheckFailure | None,
) -> CheckFailure:
    """Return the failure of the first layer whose output differs."""
    cause, hint, why = "", "All tensors are where they belong. What else belongs to a layer, and is no tensor?", ""
    if wrong is not None:
        cause, hint, why = wrong.cause, wrong.hint, f" {wrong.message}"
    elif eps := next((e for e in USUAL_EPS if _with_eps(given, e, got, ids, segments, blocks)), 0.0):
        cause = "eps not set"
        own = given.config["layer_norm_eps"]
        hint = f"These numbers come out with eps = {eps:g} in every LayerNorm. The configuration says {own:g}."
    N = ids.shape[1]
    try:
        expect.allclose(got[ids != 0], want[ids != 0], "Y", size=ROUNDING)
    except CheckFailure as failure:
        return CheckFailure(
            failure.kind,
            f"Y differs for the first time {where}.{why}",
            setting=f"{given.setting}, ids {tuple(ids.shape)}" + (f", positions up to {N - 1}" if N > 50 else ""),
            expected=failure.expected,
            yours=failure.yours,
            received=got,
            wanted=want,
            cause=cause,
            hint=hint,
        )
    return CheckFailure("value", f"Y differs only {where}.", setting=given.setting, received=got, wanted=want)


def _with_eps(given: Checkpoint, eps: float, got: Tensor, ids: Tensor, segments: Tensor | None, blocks: int) -> bool:
    cut = given.cut(blocks)
    states = references.hidden_states(cut.state, {**cut.config, "layer_norm_eps": eps}, ids, segments)
    return _fits(got, states[-1], ids)


@exercise(NAME)
@points(2)
def check_tensors(student: Student, draw: Draw) -> None:
    """Every tensor of the checkpoint that has a place in the encoder is there, number by number"""
    for sizes, pooler in ((SMALL, True), (OTHER, False), (MANY, True)):
        given = checkpoint(draw, sizes, 0.1, pooler)
        first = given.build(student).parameters()
        if failure := misplaced(given, first):
            raise failure
    given = checkpoint(draw, OTHER, 0.1)
    name = _in_order(given)[int(draw.integers(len(_in_order(given))))]
    other = replace(given, state={**given.state, name: given.state[name] + 1.0})
    if failure := misplaced(other, other.build(student).parameters()):
        raise failure


@exercise(NAME)
@points(1)
def check_embeddings(student: Student, draw: Draw) -> None:
    """The embeddings alone, without a block, are right: words, segments and positions, also beyond 50, with this eps"""
    for sizes, eps in ((SMALL, 0.1), (OTHER, 0.03)):
        given = checkpoint(draw, sizes, eps).cut(0)
        for B, N in ((1, 1), (3, 7), (2, given.config["max_position_embeddings"])):
            ids, segments = tokens(draw, given, B, N)
            for each in (None, torch.zeros_like(ids), segments, torch.ones_like(ids)):
                agree(student, given, ids, each)


@exercise(NAME)
@points(3)
def check_blocks(student: Student, draw: Draw) -> None:
    """The output of each block is right, with padding, for other sizes, for another eps, and for more than ten blocks"""
    for sizes, eps in ((SMALL, 0.1), (OTHER, 0.03), (MANY, 0.2), (OTHER, 1e-12)):
        given = checkpoint(draw, sizes, eps)
        ids, segments = tokens(draw, given, 3, 11)
        agree(student, given.cut(1), ids, segments)
        agree(student, given, ids, segments)
    given = checkpoint(draw, SMALL, 0.1)
    agree(student, given, *tokens(draw, given, 1, 61))


@exercise(NAME)
@points(1)
def check_refusals(student: Student, draw: Draw) -> None:
    """A checkpoint in which a tensor is missing, that has more blocks than the encoder, or another shape, is refused"""
    given = checkpoint(draw, OTHER, 0.1)
    ids, _ = tokens(draw, given, 1, 3)

    def load(state: Mapping[str, Tensor]) -> None:
        replace(given, state=state).build(student)(ids, need_weights=False)

    load(given.state)  # what fits is accepted
    for name in (
        "embeddings.token_type_embeddings.weight",
        "embeddings.LayerNorm.bias",
        "encoder.layer.1.attention.self.key.bias",
        "encoder.layer.0.output.LayerNorm.weight",
    ):
        rest = {each: tensor for each, tensor in given.state.items() if each != name}
        loading.refuses_state(f"A checkpoint without {name}", load, rest, weight=(name, _own(name)))
    deeper = {name.replace("layer.1.", "layer.2."): tensor for name, tensor in given.state.items()}
    loading.refuses_state("A checkpoint of 3 blocks for an encoder of 2", load, deeper | dict(given.state))
    name = "encoder.layer.1.output.dense.weight"
    narrow = {**given.state, name: given.state[name][:, :1]}
    loading.refuses_state(f"A checkpoint with {name} of another shape", load, narrow, weight=(name, _own(name)))


@exercise(NAME)
@points(1)
@promises
def check_it_can_be_trained(student: Student, draw: Draw) -> None:
    """The same encoder gives the same Y, and its weights can be trained"""
    given = checkpoint(draw, OTHER, 0.1)
    ids, segments = tokens(draw, given, 2, 7)
    module = given.build(student)
    Y = _output(student, given, ids, segments)
    expect.allclose(_output(student, given, ids, segments), Y, "Y", message="The same ids give a different Y.")
    G = draw.normal(*Y.shape).float() * (ids != 0)[..., None]
    answer = module.request(ids, segments, need_weights=False, cotangents=(G,))
    for name in _in_order(given):
        gradient = _parameter(answer.parameter_gradients, name)
        if not name.endswith("self.key.bias"):  # it raises all scores of a query alike, and the softmax does not see it
            loading.gradient_reaches(_own(name), gradient, given.setting, name)
