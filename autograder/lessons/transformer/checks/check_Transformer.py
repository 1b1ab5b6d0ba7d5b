"""Transformer(config)."""

from typing import Any

import torch

from autograder.checks import (
    FEW,
    CheckFailure,
    Constructed,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    explain_randomness,
    independent_elements,
    matching,
    no_side_effects,
    parameters_are,
    points,
    promises,
    same_dropout_distribution,
    same_twice,
    slack,
    tuple_of,
    uses_its_inputs,
    works_where_its_inputs_are,
)
from autograder.checks import pair as two
from autograder.lessons.transformer import references

NAME = "Transformer"
FIELDS: dict[str, Any] = {
    "vocab_size": 19,
    "model_width": 12,
    "num_heads": 3,
    "hidden_width": 17,
    "encoder_blocks": 1,
    "decoder_blocks": 2,
    "max_length": 31,
    "dropout": 0.0,
}
BLOCKS = FIELDS["decoder_blocks"]


def _made(**changes):
    return Constructed("TransformerConfig", FIELDS | changes)


def _reference(**changes):
    return references.Transformer(references.TransformerConfig(**(FIELDS | changes)))


def _twins(student: Student, draw: Draw, dtype=torch.float64, **changes):
    return ModulePair(student, NAME, (_made(**changes),), _reference(**changes), draw, dtype)


def _ids(draw: Draw, B, N):
    """Draw ids; 0, which some take for padding, is always among them."""
    ids = draw.integers(FIELDS["vocab_size"], B, N)
    ids[-1, -1] = 0
    return ids


def _what(blocks=BLOCKS):
    return ("The logits", *(f"A of decoder block {number}" for number in range(blocks)))


def two_results(value):
    return two(value, "logits", "the weights of the cross-attentions")


def _agree(twins, *inputs, blocks=BLOCKS, setting="", **options):
    """Positions are a table in float32, so that is the precision of the whole."""
    with torch.no_grad():
        logits, weights = twins.reference(*inputs, **options)
    got = two_results(twins.module(*inputs, **options))
    attentions = tuple_of(got[1], blocks, "the list of the decoder blocks' cross-attention weights")
    pairs = [*zip(attentions, weights, _what(blocks)[1:], strict=True), (got[0], logits, "The logits")]
    with explain_randomness(twins.module, got, *inputs, **options):
        for value, want, what in pairs:
            value = expect.tensor(value, what)
            expect.shape(
                value, want.shape, what, "(B, N_T, vocab_size)" if what == "The logits" else "(B, H, N_T, N_S)", setting
            )
            expect.allclose(value.float(), want, what, size=20.0, setting=setting)
    return got


@exercise(NAME)
@points(2)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """One embedding for both sides; with tied=True the output shares its weight, otherwise `output` has its own, without bias"""
    for changes in ({"encoder_blocks": 2}, {"tied": False, "decoder_blocks": 1}, {"norm": "pre"}):
        want = {key: tuple(value.shape) for key, value in _reference(**changes).named_parameters()}
        own = student.build(NAME, _made(**changes)).parameters()
        meant = {key: key for key in own} | {key: name for name in want for key in matching(name, own)}
        if changes.get("tied", True):  # a shared parameter goes by the name of the layer that was made first
            meant |= dict.fromkeys(matching("output.weight", own), "embedding.weight")
        got = {}
        for key, value in own.items():
            name = meant[key] if meant[key] not in got else key
            got[name] = tuple(value.shape)
        parameters_are(got, want, f"Transformer(config), {', '.join(f'{k}={v!r}' for k, v in changes.items())},")
    source, target = _ids(draw, 3, 5), _ids(draw, 3, 4)
    uses_its_inputs(_twins(student, draw).module, (source, target), (source, (target + 1) % FIELDS["vocab_size"]))


@exercise(NAME)
@points(4)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Embeddings times √D plus positions; encoder; decoder over the encoder's result; logits by the embedding's own weight"""
    for B, N_S, N_T in [(1, 1, 1), (1, 2, 3), (sizes.B, sizes.N_K, sizes.N_Q), (1, 67, 131)]:
        twins = _twins(student, draw)
        _agree(
            twins, _ids(draw, B, N_S), _ids(draw, B, N_T), setting=f"B = {B}, N_S = {N_S}, N_T = {N_T}, tied, post-norm"
        )


@exercise(NAME)
@points(2)
def check_config(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The config says it all: tied or not, pre- or post-norm, the activation, and how many blocks each side has"""
    source, target = _ids(draw, sizes.B, sizes.N_K), _ids(draw, sizes.B, sizes.N_Q)
    for changes in (
        {"tied": False},
        {"norm": "pre"},
        {"activation": "gelu"},
        {"encoder_blocks": 2, "decoder_blocks": 1},
    ):
        blocks = changes.get("decoder_blocks", BLOCKS)
        setting = ", ".join(f"{key}={value!r}" for key, value in changes.items())
        _agree(_twins(student, draw, **changes), source, target, blocks=blocks, setting=setting)


@exercise(NAME)
@points(2)
def check_source_lengths(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Padding of the source is hidden in the encoder and in the cross-attention"""
    source = _ids(draw, 3, sizes.N_K)
    # In the second pair source and target are of one length: whatever is taken for the other's fits there too.
    for norm, N_T, real in (("post", sizes.N_Q, [3, sizes.N_K, 1]), ("pre", sizes.N_K, [3, 4, 1])):
        target, lengths = _ids(draw, 3, N_T), torch.tensor(real)
        twins = _twins(student, draw, norm=norm)
        other = torch.where(torch.arange(sizes.N_K) < lengths[:, None], source, (source + 1) % FIELDS["vocab_size"])
        pairs = torch.cat([source, other]), torch.cat([target, target])
        both = lengths.repeat(2)
        logits, _ = _agree(twins, *pairs, source_lengths=both, setting=f"source_lengths {both.tolist()}")
        expect.allclose(
            logits[3:].float(),
            logits[:3].double(),
            "The logits",
            size=20.0,
            setting="other ids in the padding of the source",
            message="The padding of the source changes the logits.",
        )


@exercise(NAME)
@points(1)
def check_no_look_at_the_future(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The logits at position i depend on the target's ids up to i, and on the order of the ids on both sides"""
    N, vocabulary = sizes.N_Q, FIELDS["vocab_size"]
    source, target = _ids(draw, 1, sizes.N_K), torch.arange(N)[None]
    later = torch.arange(N) > torch.arange(N - 1)[:, None]
    # One batch: the pair itself, targets that are changed after position 0, 1, ..., another source, another target.
    sources = torch.cat([source.expand(N, -1), source.roll(1, 1), source])
    targets = torch.cat([target, (target + 7 * later) % vocabulary, target, target[:, [1, 0, *range(2, N)]]])
    logits = expect.tensor(two_results(_twins(student, draw).module(sources, targets))[0], "The logits")
    expect.shape(logits, (N + 2, N, vocabulary), "The logits", "(B, N_T, vocab_size)")
    for i, changed in enumerate(logits[1:N]):
        if not torch.allclose(changed[: i + 1], logits[0, : i + 1], atol=1e-6):
            raise CheckFailure(
                "leak",
                f"Changing the target after position {i} changes the logits at {i} or before.",
                received=f"leak {i}",
                cause="looks ahead",
                hint="The decoder's self-attention hides later positions.",
            )
        expect.depends_on_its_inputs(changed[i + 1 :], logits[0, i + 1 :], "The logits")
    for what, moved in (("source", logits[N]), ("target", logits[N + 1])):
        if torch.allclose(moved[-1], logits[0, -1], atol=1e-5):
            raise CheckFailure(
                "order",
                f"Another order of the {what} does not change the last logits.",
                received=f"order of the {what}",
                cause="positions missing",
                hint=f"Add the positions to the embeddings of the {what}.",
            )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients reach every parameter, and a tied weight collects those of both its uses"""
    twins = _twins(student, draw)
    source, target = _ids(draw, sizes.B, sizes.N_K), _ids(draw, sizes.B, sizes.N_Q)
    cotangent = draw.normal(sizes.B, sizes.N_Q, FIELDS["vocab_size"])
    answer = twins.module.request(source, target, cotangents=(cotangent,))
    parameters = dict(twins.reference.named_parameters())
    logits, _ = twins.reference(source, target)
    want = torch.autograd.grad((logits * cotangent).sum(), list(parameters.values()))
    with explain_randomness(twins.module, None, source, target):
        _gradients_agree(answer.parameter_gradients, parameters, want)


def _gradients_agree(own, parameters, want):
    for name, gradient in zip(parameters, want, strict=True):
        names = matching(name, own) or (matching("output.weight", own) if name == "embedding.weight" else [])
        found = next((own[key] for key in names if own[key] is not None), None)
        size = 20 * max(float(gradient.abs().max()), 1.0)
        if found is None:
            expect.gradients([None], [gradient], (name,), "tied, post-norm")
            continue
        expect.shape(found, gradient.shape, f"d/d {name}", "as the parameter")
        expect.allclose(found.float(), gradient, f"d/d {name}", size=size, message=f"The gradient of {name} is wrong.")


@exercise(NAME)
@points(1)
def check_dropout_on_the_embeddings(student: Student, draw: Draw) -> None:
    """In training, dropout acts on the sum of embeddings and positions; in eval mode nowhere"""
    # The course's own encoder and decoder take the place of the student's, which need not work without blocks.
    with student.with_references(("Encoder", "Decoder")):
        _sum_is_dropped(student, draw)


def _sum_is_dropped(student: Student, draw: Draw) -> None:
    vocabulary, p = 24, 0.25
    changes = {
        "vocab_size": vocabulary,
        "model_width": vocabulary,
        "encoder_blocks": 0,
        "decoder_blocks": 0,
        "dropout": p,
    }
    weights = {"embedding.weight": torch.eye(vocabulary, dtype=torch.float64)}
    # No blocks, and an embedding that is the identity: the logits are the sum itself, and what is dropped can be seen.
    twins = ModulePair(student, NAME, (_made(**changes),), _reference(**changes), draw, weights=weights)
    source, target = torch.zeros(40, 2, dtype=torch.int64), draw.integers(vocabulary, 40, 5)
    logits, _ = _agree(twins, source, target, blocks=0, setting=f"no blocks, eval mode, dropout={p}")
    dropped = expect.tensor(two_results(twins.module.when(training=True)(source, target))[0], "The logits").double()
    expect.shape(dropped, logits.shape, "The logits", "(B, N_T, vocab_size)", "training mode")
    shown = logits.double().abs() > 1e-3
    zero, kept = dropped.abs() < 1e-9, torch.isclose(dropped, logits.double() / (1 - p), rtol=1e-4)
    part = zero[shown].double().mean().item()
    if not bool((zero | kept)[shown].all()) or abs(part - p) > slack(p, int(shown.sum())):
        raise CheckFailure(
            "dropout",
            "The sum of embeddings and positions is not dropped as it should be.",
            received="dropout",
            setting=f"training mode, dropout={p}",
            expected=f"{p:.0%} of its numbers 0, the others divided by 1 − p",
            yours=f"{part:.0%} are 0",
            cause="dropout missing or in the wrong place",
            hint="The order is: embedding times √D, plus positions, then dropout. On both sides.",
        )
    details = {"setting": f"training mode, dropout={p}", "received": "dropout"}
    everywhere = shown.all(0).all(0)  # columns in which every number could be seen to be dropped
    independent_elements(
        zero[..., everywhere], "Whole vectors are dropped.", "nn.Dropout decides for every number.", details
    )


@exercise(NAME)
@points(1)
def check_dropout_in_the_blocks(student: Student, draw: Draw) -> None:
    """`dropout` is passed on to the encoder and to the decoder, and acts on the embeddings of the source too"""
    changes = {"encoder_blocks": 1, "decoder_blocks": 1, "dropout": 0.25}
    # With γ = 0 a LayerNorm gives β, whatever comes in. So nothing that is dropped before it can show after it.
    silent = ("encoder.blocks.0.norm_1", "decoder.blocks.0.norm_1", "decoder.blocks.0.norm_2")
    weights = {f"{name}.gamma": torch.zeros(FIELDS["model_width"], dtype=torch.float64) for name in silent}
    twins = ModulePair(student, NAME, (_made(**changes),), _reference(**changes), draw, weights=weights)
    source, target = _ids(draw, 8, 5), _ids(draw, 8, 3)
    _agree(twins, source, target, blocks=1, setting="eval mode, dropout=0.25")
    logits, weights = two_results(twins.module.when(training=True)(source, target))
    [A] = tuple_of(weights, 1, _what(1)[1])
    A, logits = expect.tensor(A, _what(1)[1]), expect.tensor(logits, "The logits")
    same_memory = bool(((A - 1 / 5).abs() < 1e-9).all())  # equal rows of the memory get equal weights
    same_rows = bool(((logits - logits[:1, :1]).abs() < 1e-9).all())
    if same_memory or same_rows:
        side = "encoder" if same_memory else "decoder"
        raise CheckFailure(
            "dropout",
            f"In training nothing is dropped in the {side}.",
            setting="training mode, dropout=0.25",
            received=f"dropout in the {side}",
            cause="dropout not passed on",
            hint="The config's dropout is an argument of Encoder and of Decoder.",
        )
    pair = ModulePair(student, NAME, (_made(**changes),), _reference(**changes), draw)
    hint = "Dropout acts on the sum of embeddings and positions, on both sides, and in the blocks. Nothing else is dropped."
    example = (_ids(draw, 1, 4), _ids(draw, 1, 3))
    same_dropout_distribution(
        pair, *example, what=_what(1), draw=draw, setting="training mode, dropout=0.25", hint=hint, runs=FEW
    )
    with student.with_references(("Encoder",)):
        _source_embeddings_are_dropped(student, draw, source, target)


def _source_embeddings_are_dropped(student: Student, draw: Draw, source, target):
    """No encoder blocks, and a decoder whose queries are the same for all rows: its weights differ through the source alone."""
    changes = {"encoder_blocks": 0, "decoder_blocks": 1, "dropout": 0.25}
    weights = {"decoder.blocks.0.norm_1.gamma": torch.zeros(FIELDS["model_width"], dtype=torch.float64)}
    twins = ModulePair(student, NAME, (_made(**changes),), _reference(**changes), draw, weights=weights)
    _, eval_weights = two_results(twins.module(source, target))
    _, weights = two_results(twins.module.when(training=True)(source, target))
    what = _what(1)[1]
    A, dropped = (expect.tensor(tuple_of(each, 1, what)[0], what) for each in (eval_weights, weights))
    if torch.allclose(A, dropped):
        raise CheckFailure(
            "dropout",
            "In training nothing of the source's embeddings is dropped.",
            received="dropout on the source",
            setting="training mode, dropout=0.25",
            cause="dropout missing",
            hint="The order is: embedding times √D, plus positions, then dropout. On both sides.",
        )


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 and on any device too, whatever was computed before"""
    twins = _twins(student, draw, dtype=torch.float32)
    source, target = _ids(draw, sizes.B, sizes.N_K), _ids(draw, sizes.B, sizes.N_Q)
    logits, _ = _agree(twins, source, target, setting="float32")
    expect.dtype(logits, torch.float32, "The logits")
    same_twice(twins.module, source, target)
    leaves_no_trace_ids(twins, draw, source, target)
    works_where_its_inputs_are(twins.module, source, target)


def leaves_no_trace_ids(twins, draw: Draw, source, target):
    others = [(_ids(draw, 3, 4), _ids(draw, 3, 2)), (_ids(draw, *source.shape), _ids(draw, *target.shape))]
    lengths = torch.arange(len(source)) % source.shape[1] + 1
    no_side_effects(twins, others, source, target, what=_what(), masked=(source, target, lengths))
