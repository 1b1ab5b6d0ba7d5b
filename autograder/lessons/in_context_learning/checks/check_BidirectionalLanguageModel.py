"""BidirectionalLanguageModel(vocab_size, width, num_layers)."""

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Student,
    exercise,
    expect,
    explain_randomness,
    has_parameters,
    no_return,
    parameter_gradients,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.in_context_learning import references

NAME = "BidirectionalLanguageModel"
V, W, L = 13, 5, 2
WHAT = ("ahead", "back", "states")
#: Sentences and tokens, the smallest first; one sentence, as many sentences as tokens, and a long one.
SIZES = ((2, 2), (1, 3), (3, 5), (4, 4), (1, 37))
BUILDS = ((V, W, L), (V, W, 1), (3, 1, 3))


def _twins(student: Student, draw: Draw, build=(V, W, L), dtype=torch.float64) -> ModulePair:
    return ModulePair(student, NAME, build, references.BidirectionalLanguageModel(*build), draw, dtype)


def _three(value, ids: Tensor, build=(V, W, L)) -> list[Tensor]:
    """Return the three results, if they are tensors of the right shapes."""
    if value is None:
        raise no_return()
    if not isinstance(value, tuple | list) or len(value) != 3:
        came = f"{len(value)} results" if isinstance(value, tuple | list) else f"a {type(value).__name__}"
        raise CheckFailure(
            "type",
            f"Three results are expected, ({', '.join(WHAT)}).",
            yours=came,
            received=came,
            cause="wrong number of results",
            hint=f"Return all three, in this order: return {', '.join(WHAT)}",
        )
    words, width, layers = build
    B, N = ids.shape
    parts = [expect.component(part, name) for part, name in zip(value, WHAT, strict=True)]
    setting = f"ids {tuple(ids.shape)}, num_layers = {layers}"
    for part, name in zip(parts[:2], WHAT, strict=False):
        expect.shape(part, (B, N - 1, words), name, "(B, N − 1, vocab_size)", setting)
    expect.shape(parts[2], (layers + 1, B, N, 2 * width), "states", "(num_layers + 1, B, N, 2 · width)", setting)
    return parts


def _agree(twins: ModulePair, ids: Tensor, names=WHAT, build=(V, W, L), more: str = "") -> list[Tensor]:
    """Compare the results of these names for all sentences together, and for the first alone."""
    for some in (ids, ids[:1])[: len(ids)]:
        setting = f"ids {tuple(some.shape)}, num_layers = {build[2]}{more}"
        with torch.no_grad():
            want = dict(zip(WHAT, twins.reference(some), strict=True))
        got = dict(zip(WHAT, _three(twins.module(some), some, build), strict=True))
        with explain_randomness(twins.module, tuple(got.values()), some):
            for name in names:
                expect.allclose(got[name], want[name], name, size=4.0, setting=setting)
    return list(got.values())


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """Its parts are those of __init__, and it returns logits for all tokens but one in each direction, and all states"""
    for build in BUILDS:
        want = dict(references.BidirectionalLanguageModel(*build).named_parameters())
        has_parameters(student, NAME, build, want)
        module = _twins(student, draw, build).module
        for shape in SIZES:
            ids = draw.integers(build[0], *shape)
            _three(module(ids), ids, build)
    ids = draw.integers(V, 2, 5)
    uses_its_inputs(_twins(student, draw).module, (ids,), ((ids + 1) % V,))


@exercise(NAME)
@points(1)
def check_states(student: Student, draw: Draw) -> None:
    """states[0] is the embedding twice; states[l] the forward state beside the backward one, at its own token"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for shape in SIZES:
            _agree(twins, draw.integers(build[0], *shape), ("states",), build)


@exercise(NAME)
@points(2)
def check_logits(student: Student, draw: Draw) -> None:
    """ahead are the logits of ids[:, 1:] from the tokens before, back those of ids[:, :-1] from the tokens behind"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for shape in SIZES:
            _agree(twins, draw.integers(build[0], *shape), ("ahead", "back"), build)


@exercise(NAME)
@points(2)
def check_neither_direction_sees_its_target(student: Student, draw: Draw) -> None:
    """Another token changes the forward logits of later tokens and the backward logits of earlier ones, and no others"""
    for N in (2, 5):
        for layers in (1, 2):
            build = (V, W, layers)
            twins = _twins(student, draw, build)
            ids = draw.permutation(V)[None, :N]
            others = ids.repeat(N, 1)
            others[range(N), range(N)] = (ids[0] + 1) % V  # row j: another token at place j
            both = torch.cat((ids, others))
            parts = _three(twins.module(both), both, build)
            for part, name, first in ((parts[0], "ahead", 1), (parts[1], "back", 0)):
                moves = (part[1:] - part[:1]).abs().amax(dim=2) > 1e-12  # row j, column i: logits of token i + first
                target = torch.arange(N - 1) + first
                token = torch.arange(N)[:, None]
                want = token < target if first else token > target
                if not torch.equal(moves, want):
                    raise _leak(moves, want, name, first, ids, layers)


def _leak(moves: Tensor, want: Tensor, name: str, first: int, ids: Tensor, layers: int) -> CheckFailure:
    j, i = (moves != want).nonzero()[0].tolist()
    target = i + first
    sees = bool(moves[j, i])
    itself = sees and j == target
    side = "before" if first else "behind"
    does = "changes" if sees else "does not change"
    return CheckFailure(
        "direction",
        f"Another token at place {j} {does} the logits {name} of the token at place {target}.",
        setting=f"ids {tuple(ids.shape)}, num_layers = {layers}",
        expected=f"they depend on all places {side} {target}, and on no other",
        received=moves.double(),
        cause="target seen" if itself else "another place seen" if sees else "a place not seen",
        hint="The answer stands in the input. Which state may predict which token, and what has a state of the second layer read?"
        if itself
        else "Each direction is a stack of its own: a layer reads the states of its own direction, and nothing else.",
    )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of all weights have the right values"""
    for build in BUILDS[:2]:
        twins = _twins(student, draw, build)
        parameters = dict(twins.reference.named_parameters())
        for shape in ((1, 3), (3, 5)):
            ids = draw.integers(build[0], *shape)
            _three(twins.module(ids), ids, build)
            results = twins.reference(ids)
            cotangents = tuple(draw.normal(*result.shape) for result in results)
            answer = twins.module.request(ids, cotangents=cotangents)
            total = sum((out * c).sum() for out, c in zip(results, cotangents, strict=True))
            want = torch.autograd.grad(total, list(parameters.values()))
            with explain_randomness(twins.module, None, ids):
                found = parameter_gradients(answer, parameters)
                expect.gradients(found, want, tuple(parameters), f"ids {tuple(ids.shape)}, num_layers = {build[2]}")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, in float32 too and after other calls, and the input is not changed"""
    ids = draw.integers(V, 3, 5)
    twins = _twins(student, draw, dtype=torch.float32)
    for part, name in zip(_agree(twins, ids, more=", float32"), WHAT, strict=True):
        expect.dtype(part, torch.float32, name)
    same_twice(twins.module, ids)
    twins = _twins(student, draw)
    others = [(draw.integers(V, 2, 7),), (draw.integers(V, 3, 5),)]
    got = _three(twins.module.when(before=others).request(ids).value, ids)
    with torch.no_grad():
        want = twins.reference(ids)
    for part, right, name in zip(got, want, WHAT, strict=True):
        expect.allclose(part, right, name, size=4.0, setting="after calls of the same module with other inputs")
    _agree(twins, ids.T.contiguous().T, more=", a transposed tensor")
