"""TransformerCaptioner(vocab_size, feature_width, model_width=64, num_heads=4, num_blocks=2)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    explain_randomness,
    has_parameters,
    no_side_effects,
    parameter_gradients,
    points,
    promises,
    same_twice,
    uses_its_inputs,
    works_where_its_inputs_are,
)
from autograder.lessons.captioning import references

NAME = "TransformerCaptioner"
V, FEATURE_WIDTH, D, H, BLOCKS = 19, 11, 22, 2, 2
BUILD = (V, FEATURE_WIDTH, D, H, BLOCKS)
WHAT = ("logits", "A (weights)")
MEANINGS = ("(B, T, V)", "(B, T, N)")


def _twins(student: Student, draw: Draw, build=BUILD, dtype=torch.float64):
    return ModulePair(student, NAME, build, references.TransformerCaptioner(*build), draw, dtype)


def _inputs(draw: Draw, B, N, T, dtype=torch.float64):
    """Features (B, N, feature_width) and captions (B, T), in which 0, padding, is a word like any other."""
    captions = draw.integers(V, B, T)
    captions[-1, -1] = 0
    return draw.normal(B, N, FEATURE_WIDTH, dtype=dtype), captions


def _results(module, *inputs, **options):
    """Return (logits, weights) of the student's module, of the right shapes."""
    results = expect.pair(module(*inputs, **options), "logits", "weights")
    (B, N, _), T = inputs[0].shape, inputs[1].shape[1]
    for value, last, what, meaning in zip(results, (V, N), WHAT, MEANINGS, strict=True):
        expect.shape(value, (B, T, last), what, meaning, _describe(*inputs))
    return results


def _describe(features, captions, *_):
    return f"features {tuple(features.shape)}, captions {tuple(captions.shape)}, {features.dtype}"


def _agree(twins, *inputs, setting="", **options):
    """Compare with the reference, the weights first. Positions are a float32 table, which sets the precision of all."""
    with torch.no_grad():
        want = twins.reference(*inputs, **options)
    got = _results(twins.module, *inputs, **options)
    setting = f"{_describe(*inputs)}, {setting}" if setting else _describe(*inputs)
    with explain_randomness(twins.module, got, *inputs, **options):
        for index, size in ((1, 4.0), (0, 20.0)):
            message = f"The {WHAT[index]} are wrong."
            expect.allclose(got[index].float(), want[index], WHAT[index], size=size, setting=setting, message=message)
    return got


def _same(got, want, setting, message):
    """Compare two (logits, weights) of the student's own. Weights first: what is wrong there is wrong in the logits too."""
    for k in (1, 0):
        expect.allclose(got[k].float(), want[k].double(), WHAT[k], size=20.0, setting=setting, message=message)


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The model has its four parts; it gives logits (B, T, V), and for every word weights over the cells (B, T, N)"""
    has_parameters(student, NAME, BUILD, dict(references.TransformerCaptioner(*BUILD).named_parameters()))
    module = _twins(student, draw).module
    for B, N, T in [(1, 1, 1), (sizes.B, sizes.N_K, sizes.N_Q), (sizes.H, 2, sizes.N_K)]:
        features, captions = _inputs(draw, B, N, T)
        _results(module, features, captions)
    uses_its_inputs(module, (features, captions), (features.flip(0), captions))


@exercise(NAME)
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Embeddings · √D plus positions; decoder over the projected features; logits; mean weights of the last block"""
    for B, N, T, *build in [
        (1, 1, 1, 4, 1, 1),
        (1, 2, 2, 4, 2, 1),
        (1, 3, 2, 4, 2, 2),
        (sizes.B, sizes.N_K, sizes.N_Q, D, H, BLOCKS),
        (3, 5, 7, 12, 3, 3),
        (1, 2, 67, 4, 2, 1),
        (3, 3, 3, FEATURE_WIDTH, 1, 2),  # features as wide as the model, and as many pictures, cells and words
    ]:
        twins = _twins(student, draw, (V, FEATURE_WIDTH, *build))
        model_width, num_heads, num_blocks = build
        setting = f"model_width = {model_width}, num_heads = {num_heads}, num_blocks = {num_blocks}"
        _agree(twins, *_inputs(draw, B, N, T), setting=setting)


@exercise(NAME)
@points(1)
def check_no_look_at_the_future(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The logits at position t depend on the words up to t and on their order, and not on later words"""
    T = sizes.N_Q
    features, captions = draw.normal(1, sizes.N_K, FEATURE_WIDTH), draw.permutation(V)[None, :T]
    later = torch.arange(T) > torch.arange(T - 1)[:, None]
    # The caption itself, captions that are changed after position 0, 1, …, and one with two words swapped: each alone, because
    # what hangs on the place in a batch is another check's business.
    changed = torch.cat([captions, (captions + 7 * later) % V, captions[:, [1, 0, *range(2, T)]]])
    module = _twins(student, draw).module
    logits = torch.cat([_results(module, features, caption[None])[0] for caption in changed])
    for t, others in enumerate(logits[1:T]):
        expect.depends_on_its_inputs(others[t + 1 :], logits[0, t + 1 :], "The logits")
        if not torch.allclose(others[: t + 1], logits[0, : t + 1], atol=1e-6):
            raise CheckFailure(
                "value",
                f"Changing the words after position {t} changes the logits at {t} or before.",
                received=others,
                cause="looks ahead",
                hint="layers.Decoder hides later words by itself; what stands around it must not mix positions.",
            )
    if torch.allclose(logits[T, -1], logits[0, -1], atol=1e-5):
        raise CheckFailure(
            "order",
            "Another order of the words does not change the last logits.",
            received="order",
            cause="positions missing",
            hint="Attention does not know where a word stands. Add the positions to the embeddings.",
        )


@exercise(NAME)
@points(2)
def check_allowed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A cell that is not allowed has weight 0 for every word, and its features change nothing"""
    twins = _twins(student, draw)
    for B, N, T in [(1, 2, 1), (sizes.B, sizes.N_K, sizes.N_Q), (3, 5, 5), (3, 5, 7)]:
        features, captions = _inputs(draw, B, N, T)
        allowed = draw.allowed(B, N)
        other = torch.where(allowed[..., None], features, draw.normal(*features.shape, scale=3.0))
        # One batch: the pictures, and the same with other features in the cells that are not allowed.
        both = torch.cat([features, other]), captions.repeat(2, 1), allowed.repeat(2, 1)
        logits, weights = _agree(twins, *both, setting="some cells not allowed")
        message = "The features of cells that are not allowed change the result."
        _same((logits[B:], weights[B:]), (logits[:B], weights[:B]), _describe(features, captions), message)
    everything = torch.ones_like(allowed)
    _agree(twins, features, captions, allowed=everything, setting="all cells allowed")
    allowed[1] = False
    _agree(twins, features, captions, allowed=allowed, setting="no cell of picture 1 allowed")


@exercise(NAME)
@points(1)
def check_every_picture_has_its_own_caption(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A caption is made from its own picture: the other pictures and captions of the batch change nothing"""
    twins = _twins(student, draw)
    features, captions = _inputs(draw, 3, sizes.N_K, sizes.N_Q)
    logits, weights = _results(twins.module, features, captions)
    uses_its_inputs(twins.module, (features, captions), (features.flip(0), captions))
    for b in range(3):
        alone = _results(twins.module, features[b : b + 1], captions[b : b + 1])
        message = "A picture's result depends on the other pictures of the batch."
        _same((logits[b : b + 1], weights[b : b + 1]), alone, f"picture {b} with two others, and alone", message)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow from the logits back to the features and to all parameters with the right values"""
    twins = _twins(student, draw)
    features, captions = _inputs(draw, sizes.B, sizes.N_K, sizes.N_Q)
    cotangent = draw.normal(sizes.B, sizes.N_Q, V)
    answer = twins.module.request(features, captions, cotangents=(cotangent,))
    leaf, parameters = features.clone().requires_grad_(), dict(twins.reference.named_parameters())
    logits, _ = twins.reference(leaf, captions)
    want = torch.autograd.grad((logits * cotangent).sum(), [leaf, *parameters.values()])
    found = [*answer.gradients, *parameter_gradients(answer, parameters)]
    for name, got, expected in zip(("features", *parameters), found, want, strict=True):
        if got is None:
            expect.gradients([None], [expected], (name,), _describe(features, captions))
            continue
        size = 20 * max(float(expected.abs().max()), 1.0)
        expect.allclose(got.float(), expected, f"d/d {name}", size=size, message=f"The gradient of {name} is wrong.")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32, on any device and after other calls, and the input is not changed"""
    features, captions = _inputs(draw, sizes.B, sizes.N_K, sizes.N_Q)
    allowed = draw.allowed(sizes.B, sizes.N_K)
    _agree(_twins(student, draw), features, captions, allowed)  # what is wrong in float64 too is not the dtype's affair
    twins = _twins(student, draw, dtype=torch.float32)
    features = features.float()
    inputs = features, captions, allowed
    for given in (inputs[:2], inputs):
        for result, what in zip(_agree(twins, *given), WHAT, strict=True):
            expect.dtype(result, torch.float32, what)
    same_twice(twins.module, *inputs)
    others = [_inputs(draw, 3, 2, 4, torch.float32), inputs, (features.flip(0), captions[:, :2])]
    no_side_effects(twins, others, features, captions, what=WHAT)
    transposed = features.mT.contiguous().mT  # as grid_features makes them
    _agree(twins, transposed, captions.T.contiguous().T, setting="transposed tensors")
    works_where_its_inputs_are(twins.module, *inputs)
