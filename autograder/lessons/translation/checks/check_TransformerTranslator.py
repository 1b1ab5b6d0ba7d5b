"""TransformerTranslator(source_words, target_words, model_width=64, num_heads=4, num_blocks=2, hidden_width=128)."""

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
from autograder.lessons.translation import references

NAME = "TransformerTranslator"
V_S, V, D, H, BLOCKS, HIDDEN = 19, 23, 22, 2, 2, 13
BUILD = (V_S, V, D, H, BLOCKS, HIDDEN)
WHAT = ("logits", "A (weights)")
#: (B, N, T), the smallest first: a batch of one, one word, more words than any training sentence, equally many of each.
CASES = ((1, 1, 1), (1, 2, 2), (1, 3, 2), (2, 7, 5), (5, 2, 3), (1, 2, 47), (1, 47, 2), (3, 3, 3))


def _twins(student: Student, draw: Draw, build=BUILD, dtype=torch.float64):
    return ModulePair(student, NAME, build, references.TransformerTranslator(*build), draw, dtype)


def _inputs(draw: Draw, B, N, T):
    """Source words (B, N) and target words (B, T), in which 0, padding, is a word like any other unless a mask says so."""
    source, words = draw.integers(V_S, B, N), draw.integers(V, B, T)
    source[-1, -1], words[-1, -1] = 0, 0
    return source, words


def _describe(source, words, *_):
    return f"source {tuple(source.shape)}, words {tuple(words.shape)}"


def _results(module, *inputs, **options):
    """Return (logits, weights) of the student's module, of the right shapes."""
    results = expect.pair(module(*inputs, **options), "logits", "weights")
    (B, N), T = inputs[0].shape, inputs[1].shape[1]
    for value, last, what, meaning in zip(results, (V, N), WHAT, ("(B, T, V)", "(B, T, N)"), strict=True):
        expect.shape(value, (B, T, last), what, meaning, _describe(*inputs))
    return results


def _agree(twins, *inputs, setting=""):
    """Compare with the reference, the weights first. Positions are a float32 table, which sets the precision of all."""
    with torch.no_grad():
        want = twins.reference(*inputs)
    got = _results(twins.module, *inputs)
    setting = f"{_describe(*inputs)}, {setting}" if setting else _describe(*inputs)
    with explain_randomness(twins.module, got, *inputs):
        for index, size in ((1, 4.0), (0, 20.0)):
            message = f"The {WHAT[index]} are wrong."
            expect.allclose(got[index].float(), want[index], WHAT[index], size=size, setting=setting, message=message)
    return got


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """The model has its five parts; it gives logits (B, T, V), and for every word weights over the source (B, T, N)"""
    has_parameters(student, NAME, BUILD, dict(references.TransformerTranslator(*BUILD).named_parameters()))
    has_parameters(student, NAME, (V_S, V), dict(references.TransformerTranslator(V_S, V).named_parameters()))
    module = _twins(student, draw).module
    for sizes in CASES:
        source, words = _inputs(draw, *sizes)
        _results(module, source, words)
    uses_its_inputs(module, (source, words), ((source + 1) % V_S, words))
    uses_its_inputs(module, (source, words), (source, (words + 1) % V))


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Both embeddings · √D plus positions; encoder; decoder; logits; the mean of the weights over blocks and heads"""
    for build in ((V_S, V, 4, 1, 1, 3), (V_S, V, 4, 2, 1, 3), (V_S, V, 4, 1, 3, 3), BUILD, (V, V, 12, 3, 3, 12)):
        twins = _twins(student, draw, build)
        for sizes in CASES if build == BUILD else CASES[:4]:
            B, N, T = sizes
            source = draw.integers(build[0], B, N)
            _agree(
                twins,
                source,
                draw.integers(V, B, T),
                setting="model_width = {}, num_heads = {}, num_blocks = {}".format(*build[2:5]),
            )


@exercise(NAME)
@points(1)
def check_no_look_at_the_future(student: Student, draw: Draw) -> None:
    """The logits at t depend on the words up to t and on their order, and on no later word; the source is seen whole"""
    T, twins = 5, _twins(student, draw)
    source, words = draw.permutation(V_S)[None, :4], draw.permutation(V)[None, :T]
    later = torch.arange(T) > torch.arange(T - 1)[:, None]
    changed = torch.cat([words, (words + 7 * later) % V, words[:, [1, 0, *range(2, T)]]])
    logits = torch.cat([_results(twins.module, source, one[None])[0] for one in changed])  # each alone: batches may mix
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
    _order_matters(logits[T, -1], logits[0, -1], "target")
    turned, _ = _results(twins.module, source.flip(1), words)
    _order_matters(turned[0, 0], logits[0, 0], "source")
    ends, _ = _results(twins.module, torch.cat((source[:, :-1], (source[:, -1:] + 1) % V_S), 1), words)
    expect.depends_on_its_inputs(
        ends[0, 0], logits[0, 0], "The logits at the first place, for another last source word,"
    )


def _order_matters(one, other, which):
    if torch.allclose(one, other, atol=1e-5):
        raise CheckFailure(
            "order",
            f"Another order of the {which} words does not change the logits.",
            received=f"order of the {which}",
            cause="positions missing",
            hint="Attention does not know where a word stands. Add the positions to the embeddings of both languages.",
        )


@exercise(NAME)
@points(2)
def check_padding(student: Student, draw: Draw) -> None:
    """Neither the encoder nor the decoder attends to padding of the source, and it changes nothing"""
    twins = _twins(student, draw)
    for B, N, T in ((1, 2, 1), (2, 7, 5), (3, 5, 7), (4, 4, 4)):
        source, words = _inputs(draw, B, N, T)
        allowed = torch.arange(N) < torch.tensor([[1 + (N - 1) * (b + 1) // B - (b == 0)] for b in range(B)]).clamp(
            min=1
        )
        if B == 1:
            allowed = torch.tensor([[True, False]])
        _agree(twins, source[:1], words[:1], allowed[:1], setting=f"alone, allowed {allowed[:1].int().tolist()}")
        other = torch.where(allowed, source, (source + 3) % V_S)
        both = torch.cat([source, other]), words.repeat(2, 1), allowed.repeat(2, 1)
        logits, weights = _agree(twins, *both, setting=f"allowed {allowed.int().tolist()}")
        message = "The words that are not allowed change the result."
        for own, what in ((weights, WHAT[1]), (logits, WHAT[0])):
            expect.allclose(
                own[B:].float(), own[:B].double(), what, size=20.0, setting=_describe(source, words), message=message
            )
    _agree(twins, source, words, torch.ones_like(allowed), setting="all words allowed")


@exercise(NAME)
@points(1)
def check_sentences_are_separate(student: Student, draw: Draw) -> None:
    """A sentence is translated by itself: the others of the batch change nothing"""
    twins = _twins(student, draw)
    source, words = _inputs(draw, 3, 7, 5)
    logits, weights = _results(twins.module, source, words)
    uses_its_inputs(twins.module, (source, words), ((source + 1) % V_S, words))
    for b in range(3):
        alone = _results(twins.module, source[b : b + 1], words[b : b + 1])
        message = "A sentence's result depends on the other sentences of the batch."
        for got, own, what in zip(alone, (logits, weights), WHAT, strict=True):
            expect.allclose(
                own[b : b + 1].float(), got.double(), what, size=20.0, setting=f"sentence {b}", message=message
            )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients flow from the logits back to all parameters, of both languages, with the right values"""
    twins = _twins(student, draw)
    source, words = _inputs(draw, 2, 7, 5)
    cotangent = draw.normal(2, 5, V)
    answer = twins.module.request(source, words, cotangents=(cotangent,))
    parameters = dict(twins.reference.named_parameters())
    logits, _ = twins.reference(source, words)
    want = torch.autograd.grad((logits * cotangent).sum(), [*parameters.values()])
    for name, got, expected in zip(parameters, parameter_gradients(answer, parameters), want, strict=True):
        if got is None:
            expect.gradients([None], [expected], (name,), _describe(source, words))
            continue
        size = 20 * max(float(expected.abs().max()), 1.0)
        expect.allclose(got.float(), expected, f"d/d {name}", size=size, message=f"The gradient of {name} is wrong.")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32, on any device and after other calls, and the input is not changed"""
    source, words = _inputs(draw, sizes.B, 7, 5)
    allowed = torch.ones(sizes.B, 7, dtype=torch.bool)
    allowed[0, 4:] = False
    _agree(_twins(student, draw), source, words, allowed)
    twins, inputs = _twins(student, draw, dtype=torch.float32), (source, words, allowed)
    for given in (inputs[:2], inputs):
        for result, what in zip(_agree(twins, *given), WHAT, strict=True):
            expect.dtype(result, torch.float32, what)
    same_twice(twins.module, *inputs)
    others = [_inputs(draw, 3, 2, 4), inputs, (source.flip(0), words[:, :2]), (source, words.flip(0))]
    no_side_effects(twins, others, source, words, what=WHAT)
    _agree(twins, source.T.contiguous().T, words.T.contiguous().T, setting="transposed tensors")
    works_where_its_inputs_are(twins.module, *inputs)
