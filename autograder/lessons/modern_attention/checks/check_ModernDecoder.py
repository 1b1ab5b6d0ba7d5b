"""ModernDecoder(state, config, layout="half"): small random checkpoints with Hugging Face's names, compared layer by layer.

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
    raises_value_error,
)
from autograder.lessons.modern_attention import references

NAME = "ModernDecoder"
SIZES = (
    "vocab_size",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "num_hidden_layers",
    "intermediate_size",
)
#: Vocabulary, width, heads of queries, heads of keys, blocks, hidden width. In the last, width and heads make square maps.
SMALL, OTHER, MANY, SQUARE = (61, 32, 4, 2, 3, 22), (53, 24, 3, 1, 2, 44), (17, 8, 2, 1, 13, 6), (29, 24, 4, 4, 2, 24)
#: Rounding of the blocks in float32, as a multiple of that of a sum.
ROUNDING = 16.0
PREFIX = "model.layers."


@dataclass(frozen=True)
class Checkpoint:
    """Weights under Hugging Face's names, in the order of their use; the sizes; the order in which a file has the names; and
    the layout of the rows of W_Q and W_K.
    """

    state: Mapping[str, Tensor]
    config: Mapping[str, Any]
    order: Sequence[str]
    layout: str | None = None

    def cut(self, blocks: int) -> "Checkpoint":
        """Return the checkpoint with only the first ``blocks`` blocks."""
        state = {name: tensor for name, tensor in self.state.items() if _block_of(name) < blocks}
        return replace(self, state=state, config={**self.config, "num_hidden_layers": blocks})

    def build(self, student: Student) -> Any:
        layout = () if self.layout is None else (self.layout,)
        return student.build(NAME, loading.in_order(self.state, self.order), dict(self.config), *layout)

    @property
    def placed(self) -> Mapping[str, Tensor]:
        """The tensors as they belong into the decoder."""
        return references.in_half_layout(self.state, self.config, self.layout or "half")

    @property
    def setting(self) -> str:
        c = self.config
        return (
            f"{c['num_hidden_layers']} blocks, D = {c['hidden_size']}, {c['num_attention_heads']} heads in "
            f"{c['num_key_value_heads']} groups" + (f', layout "{self.layout}"' if self.layout else "")
        )


def _block_of(name: str) -> int:
    """Return the number of the block to which a tensor belongs, -1 if none."""
    return int(name.split(".")[2]) if name.startswith(PREFIX) else -1


def checkpoint(draw: Draw, sizes: tuple[int, ...], layout: str | None = None, extra: bool = False) -> Checkpoint:
    """Draw a checkpoint with these sizes, in float32; extra: with tensors that have no place."""
    config: dict[str, Any] = dict(zip(SIZES, sizes, strict=True))
    V, D, heads, groups, L, hidden = sizes
    head = D // heads
    state = dict[str, Tensor]()

    def normal(name: str, *shape: int, scale: float, mean: float = 0.0) -> None:
        state[f"{name}.weight"] = (mean + draw.normal(*shape, scale=scale)).float()

    normal("model.embed_tokens", V, D, scale=0.5)
    for number in range(L):
        layer = f"{PREFIX}{number}"
        for part, rows in (("q", heads * head), ("k", groups * head), ("v", groups * head), ("o", D)):
            normal(f"{layer}.self_attn.{part}_proj", rows, D, scale=1.5 * D**-0.5)
        for part, rows, columns in (("gate", hidden, D), ("up", hidden, D), ("down", D, hidden)):
            normal(f"{layer}.mlp.{part}_proj", rows, columns, scale=1.5 * columns**-0.5)
        for norm in ("input_layernorm", "post_attention_layernorm"):
            normal(f"{layer}.{norm}", D, scale=0.3, mean=1.0)
    normal("model.norm", D, scale=0.3, mean=1.0)
    if extra:
        state["model.rotary_emb.inv_freq"] = draw.normal(head // 2).float()
        state["lm_head.weight"] = state["model.embed_tokens.weight"].clone()
    config |= {"rms_norm_eps": 0.1, "rope_theta": 30.0}
    return Checkpoint(state, config, loading.another_order(state, draw), layout)


def tokens(draw: Draw, given: Checkpoint, B: int, N: int) -> Tensor:
    return draw.integers(given.config["vocab_size"], B, N)


def _own(name: str) -> str:
    return references.llama_name(name) or ""


def _in_order(given: Checkpoint) -> list[str]:
    """Return the names of the tensors that have a place, in the order in which they are used."""
    return [name for name in given.state if _own(name)]


def _where(name: str) -> str:
    return f"block {_block_of(name)}" if _block_of(name) >= 0 else "the decoder"


def misplaced(given: Checkpoint, parameters: Mapping[str, Tensor]) -> CheckFailure | None:
    """Return the failure of the first tensor that is not where it belongs; None if all are."""
    placed = given.placed
    for name in _in_order(given):
        tensor, own = placed[name], parameters.get(_own(name))
        if own is None or not loading.same_numbers(own, tensor):
            instead = _instead(given, name, own)
            return loading.misplaced(name, _own(name), _where(name), tensor, own, given.setting, instead)
    return None


def _instead(given: Checkpoint, name: str, own: Tensor | None) -> loading.Instead:
    """Return what is in the place of a tensor, a cause and a hint."""
    if own is None:
        return "no such parameter", "parameter missing", "The decoder keeps the parameters that it has; fill them."
    shown = f"{tuple(own.shape)}, {expect.numbers(own)}"
    tensor, right = given.state[name], given.placed[name]
    if given.layout == "interleaved" and loading.same_numbers(own, tensor):
        hint = 'In layout "interleaved", rows 2i and 2i + 1 of each head are a pair. Your decoder turns columns i and i + D_H/2.'
        return shown, "rotary layout not converted", hint
    if _same_rows(own, right):
        hint = "These rows need no other order. Which maps, in which layout, do?"
        if not loading.same_numbers(right, tensor):
            hint = "All rows are there, in a different order. Each head is ordered by itself, and W_K has fewer heads than W_Q."
        return shown, "rows in the wrong order", hint
    if own.dim() == 2 and (_same_rows(own.mT, right.mT) or _same_rows(own.mT, tensor.mT)):
        hint = "Its columns are all there, in a different order. Column j of a head is made by row j of W_Q or W_K."
        return shown, "columns in the wrong order", hint
    if own.dim() == 2 and loading.same_numbers(own.mT, right):
        return loading.transposed(own)
    return loading.other_tensor(own, given.placed)


def _same_rows(one: Tensor, other: Tensor) -> bool:
    """Return whether two matrices have the same rows in some order."""
    if one.dim() != 2 or one.shape != other.shape:
        return False
    return loading.same_numbers(one[one[:, 0].argsort()], other[other[:, 0].argsort()])


def agree(student: Student, given: Checkpoint, ids: Tensor) -> None:
    """Compare the logits; if they differ, say after which layer they do first, and which tensor explains it."""
    want = references.logits_by_depth(given.placed, given.config, ids)
    if _fits(_output(student, given, ids), want[-1]):
        return
    wrong = misplaced(given, given.build(student).parameters())
    for blocks, state in enumerate(want):
        try:
            got = _output(student, given.cut(blocks), ids)
        except CheckFailure:
            continue  # it cannot do with fewer blocks
        if not _fits(got, state):
            where = f"with {blocks} of the blocks" if blocks else "without a block"
            raise _differs(given, got, state, ids, where, wrong)
    raise _differs(given, _output(student, given, ids), want[-1], ids, "with all blocks", wrong)


def _output(student: Student, given: Checkpoint, ids: Tensor) -> Tensor:
    value = given.build(student)(ids)
    logits = expect.tensor(value[0] if isinstance(value, tuple | list) and value else value, "logits")
    expect.shape(logits, (*ids.shape, given.config["vocab_size"]), "logits", "(B, N, V)", given.setting)
    return logits


def _fits(got: Tensor, want: Tensor) -> bool:
    try:
        expect.allclose(got, want, "logits", size=ROUNDING)
    except CheckFailure:
        return False
    return True


def _differs(
    given: Checkpoint, got: Tensor, want: Tensor, ids: Tensor, where: str, wrong: CheckFailure | None
) -> CheckFailure:
    """Return the failure of the first depth at which the logits differ."""
    cause, hint, why = "", "All tensors are where they belong. Is forward as it was given?", ""
    if wrong is not None:
        cause, hint, why = wrong.cause, wrong.hint, f" {wrong.message}"
    try:
        expect.allclose(got, want, "logits", size=ROUNDING)
    except CheckFailure as failure:
        return CheckFailure(
            failure.kind,
            f"The logits differ for the first time {where}.{why}",
            setting=f"{given.setting}, ids {tuple(ids.shape)}",
            expected=failure.expected,
            yours=failure.yours,
            received=got,
            wanted=want,
            cause=cause,
            hint=hint,
        )
    return CheckFailure("value", f"The logits differ only {where}.", setting=given.setting, received=got, wanted=want)


@exercise(NAME)
@points(2)
def check_tensors(student: Student, draw: Draw) -> None:
    """Every tensor of the checkpoint that has a place in the decoder is there, number by number, in float32"""
    for sizes, extra in ((SMALL, False), (OTHER, True), (MANY, False), (SQUARE, False)):
        given = checkpoint(draw, sizes, extra=extra)
        if failure := misplaced(given, given.build(student).parameters()):
            raise failure
    given = checkpoint(draw, OTHER)
    name = _in_order(given)[int(draw.integers(len(_in_order(given))))]
    other = replace(given, state={**given.state, name: given.state[name] + 1.0})
    if failure := misplaced(other, other.build(student).parameters()):
        raise failure
    halved = replace(given, state={name: tensor.half() for name, tensor in given.state.items()})
    parameters = halved.build(student).parameters()
    if failure := misplaced(halved, parameters):
        raise failure
    for name in _in_order(halved):
        expect.dtype(parameters[_own(name)], torch.float32, f"{_own(name)} of a checkpoint in float16")


@exercise(NAME)
@points(2)
def check_blocks(student: Student, draw: Draw) -> None:
    """With weights of layout "half", as Hugging Face stores them, the logits are right after every block"""
    for sizes, layout in ((SMALL, None), (OTHER, "half"), (MANY, None), (SQUARE, "half")):
        given = checkpoint(draw, sizes, layout)
        ids = tokens(draw, given, 3, 11)
        agree(student, given.cut(1), ids)
        agree(student, given, ids)


@exercise(NAME)
@points(3)
def check_interleaved(student: Student, draw: Draw) -> None:
    """With weights of layout "interleaved", too, the logits are right: W_Q and W_K have their rows put in order, head by head"""
    for sizes in (SMALL, OTHER, SQUARE, MANY):
        given = checkpoint(draw, sizes, "interleaved")
        if failure := misplaced(given, given.build(student).parameters()):
            raise failure
        agree(student, given, tokens(draw, given, 2, 7))


@exercise(NAME)
@points(2)
def check_refusals(student: Student, draw: Draw) -> None:
    """A checkpoint that lacks a tensor, has one too many, or another shape, and a layout of another name, are refused"""
    given = checkpoint(draw, OTHER)
    ids = tokens(draw, given, 1, 3)

    def load(state: Mapping[str, Tensor], layout: str = "half") -> None:
        replace(given, state=state, layout=layout).build(student)(ids)

    load(given.state)  # what fits is accepted
    unnoticed = ", or is left out in silence,"
    for name in ("model.norm.weight", f"{PREFIX}1.self_attn.k_proj.weight", f"{PREFIX}0.input_layernorm.weight"):
        rest = {each: tensor for each, tensor in given.state.items() if each != name}
        loading.refuses_state(f"A checkpoint without {name}", load, rest, unnoticed)
    deeper = {name.replace("layers.1.", "layers.2."): tensor for name, tensor in given.state.items()}
    loading.refuses_state("A checkpoint of 3 blocks for a decoder of 2", load, deeper | dict(given.state), unnoticed)
    bias = {f"{PREFIX}{n}.self_attn.q_proj.bias": torch.ones(24) for n in range(2)}
    loading.refuses_state("A checkpoint whose W_Q has a bias, as in Qwen 2", load, {**given.state, **bias}, unnoticed)
    name = f"{PREFIX}1.mlp.down_proj.weight"
    narrow = {**given.state, name: given.state[name][:, :1]}
    loading.refuses_state(f"A checkpoint with {name} of another shape", load, narrow, unnoticed)
    hint = 'The layouts are "half" and "interleaved". Any other is a mistake of the caller.'
    raises_value_error('The layout "halves"', hint, load, given.state, "halves")


@exercise(NAME)
@points(1)
@promises
def check_it_can_be_trained(student: Student, draw: Draw) -> None:
    """The same decoder gives the same logits, and its weights can be trained"""
    given = checkpoint(draw, OTHER)
    ids = tokens(draw, given, 2, 7)
    module = given.build(student)
    logits = _output(student, given, ids)
    expect.allclose(_output(student, given, ids), logits, "logits", message="The same ids give different logits.")
    answer = module.request(ids, cotangents=(draw.normal(*logits.shape).float(),))
    for name in _in_order(given):
        gradient = answer.parameter_gradients.get(_own(name))
        loading.gradient_reaches(_own(name), gradient, given.setting, name)
