"""GPT(config)."""

import torch

from autograder.checks import (
    FEW,
    CheckFailure,
    Draw,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    expect_still,
    explain_randomness,
    field_taken_for_another,
    independent_elements,
    matching,
    no_side_effects,
    no_weights,
    parameter_gradients,
    parameters_are,
    points,
    promises,
    raises_value_error,
    same_dropout_distribution,
    same_twice,
    share_is,
    tuple_of,
    uses_its_inputs,
)
from autograder.checks import pair as two
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.sizes import (
    BLOCKS,
    FIELDS,
    LONGEST,
    V,
    config,
    describe_changes,
    ids_of,
    made,
    twins,
)

NAME = "GPT"
GPT2 = {
    "vocab_size": 50_257,
    "model_width": 768,
    "num_heads": 12,
    "hidden_width": 3072,
    "decoder_blocks": 12,
    "max_length": 1024,
    "dropout": 0.1,
}
#: What a stack of pre-norm blocks has, and one of post-norm blocks has not.
LAST_NORM = {"decoder.norm.gamma", "decoder.norm.beta"}
#: Of GPT-2's smallest model, as published.
PARAMETERS = 124_439_808


def _what(blocks=BLOCKS):
    return ("The logits", *(f"A of block {number}" for number in range(blocks)))


def _results(value, blocks, B, N, vocab_size=V):
    logits, weights = two(value, "logits", "the weights of the blocks")
    logits = expect.tensor(logits, "The logits")
    expect.shape(logits, (B, N, vocab_size), "The logits", "(B, N, V)", f"ids {(B, N)}")
    return logits, tuple_of(weights, blocks, "the list of the blocks' weights")


def _agree(pair, ids, blocks=BLOCKS, setting="", **options):
    """Compare with the reference, the weights first."""
    with torch.no_grad():
        logits, weights = pair.reference(ids, **options)
    value = pair.module(ids, **options)
    setting = f"ids {tuple(ids.shape)}" + (f", {setting}" if setting else "")
    with explain_randomness(pair.module, value, ids, **options):
        got, attentions = _results(value, blocks, *ids.shape)
        compared = [*zip(attentions, weights, _what(blocks)[1:], strict=True), (got, logits, "The logits")]
        for mine, want, what in compared:
            expect.allclose(expect.tensor(mine, what), want, what, size=20.0, setting=setting)
    return got


def _parameters(fields):
    """Return the names and shapes of the parameters that a config with these fields asks for."""
    made_of = references.GPT(references.TransformerConfig(**fields))
    return {key: tuple(value.shape) for key, value in made_of.named_parameters()}


@exercise(NAME)
@points(2)
def check_parameters(student: Student, draw: Draw) -> None:
    """It has the parameters that were asked for, tied or not; with GPT-2's sizes they are 124,439,808"""
    # The last of them: GPT-2 is pre-norm, whatever an encoder would be.
    for changes in ({}, {"tied": False}, {"decoder_blocks": 1, "max_length": 7}, {"norm": "post"}):
        reference = references.GPT(config(**changes))
        want = {key: tuple(value.shape) for key, value in reference.named_parameters()}
        got = _own(student.build(NAME, made(**changes)).parameters(), want, changes)
        title = f"GPT(config) with {describe_changes(changes)}" if changes else "GPT(config)"
        if {name for name in want if name not in got} == LAST_NORM:
            _last_norm_missing(title)
        if got != want and (other := field_taken_for_another(got, FIELDS | changes, _parameters)):
            raise other
        parameters_are(got, want, title)
    request = Request(NAME, build=(made(**GPT2),), times=0, default_device="meta")
    count = sum(parameter.numel() for parameter in student.answer(request).parameters.values())
    if count != PARAMETERS:
        raise CheckFailure(
            "value",
            "With GPT-2's sizes, the number of parameters is wrong.",
            setting=describe_changes(GPT2),
            expected=f"{PARAMETERS:,}",
            yours=f"{count:,}",
            received=f"{count - PARAMETERS:+,}",
            cause="wrong number of parameters",
        )
    ids = ids_of(draw, 2, 5)
    uses_its_inputs(twins(student, NAME, draw).module, (ids,), ((ids + 1) % V,))


def _last_norm_missing(title):
    raise CheckFailure(
        "parameters",
        f"{title} has no LayerNorm after the last block.",
        expected=", ".join(sorted(LAST_NORM)),
        yours="none of these",
        received=sorted(LAST_NORM),
        cause="post-norm in place of pre-norm",
        hint='layers.Encoder ends with a LayerNorm if it is told "pre". A GPT is pre-norm, whatever the config says of norms. '
        "Look at what the decoder is told.",
    )


def _own(parameters, want, changes):
    """Return the shapes of the student's parameters, by the names that they should have."""
    meant = {key: key for key in parameters} | {key: name for name in want for key in matching(name, parameters)}
    if changes.get("tied", True):  # a shared parameter goes by the name of the layer that was made first
        meant |= dict.fromkeys(matching("output.weight", parameters), "embedding.weight")
    found: dict[str, tuple] = {}
    for key, value in parameters.items():
        found[meant[key] if meant[key] not in found else key] = tuple(value.shape)
    return found


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Embedding plus positions, causal pre-norm blocks, a last norm, and the output's matrix, as the config says"""
    for B, N in ((1, 1), (1, 2), (1, 3), (sizes.B, sizes.N_Q), (3, 3), (1, LONGEST)):
        _agree(twins(student, NAME, draw), ids_of(draw, B, N))
    ids = ids_of(draw, sizes.B, sizes.N_K)
    for changes in (
        {"tied": False},
        {"activation": "relu"},
        {"decoder_blocks": 3},
        {"decoder_blocks": 1, "num_heads": 1},
        {"hidden_width": 5},
    ):
        _agree(
            twins(student, NAME, draw, **changes), ids, changes.get("decoder_blocks", BLOCKS), describe_changes(changes)
        )
    pair = twins(student, NAME, draw)
    logits, weights = two(pair.module(ids, need_weights=False), "logits", "the weights of the blocks")
    no_weights(weights)
    setting = "need_weights=False"
    with torch.no_grad():
        want = pair.reference(ids)[0]
    expect.allclose(expect.tensor(logits, "The logits"), want, "The logits", size=20.0, setting=setting)


@exercise(NAME)
@points(1)
def check_no_look_at_the_future(student: Student, draw: Draw) -> None:
    """The logits in place i depend on the ids up to i and on their order, and on no later id: other ids and gradients show it"""
    N, pair = 5, twins(student, NAME, draw)
    ids = draw.permutation(V)[None, :N]
    later = torch.arange(N) > torch.arange(N - 1)[:, None]
    changed = torch.cat([ids, (ids + 7 * later) % V, ids[:, [1, 0, *range(2, N)]]])
    logits, _ = _results(pair.module(changed), BLOCKS, N + 1, N)
    for i, others in enumerate(logits[1:N]):
        expect.depends_on_its_inputs(others[i + 1 :], logits[0, i + 1 :], "The logits")
        if not torch.allclose(others[: i + 1], logits[0, : i + 1], atol=1e-9):
            _leak(f"Changing the ids after place {i} changes the logits at {i} or before.", i)
    if torch.allclose(logits[N, -1], logits[0, -1], atol=1e-9):
        raise CheckFailure(
            "order",
            "Another order of the ids does not change the logits of the last place.",
            received="order",
            cause="positions missing",
            hint="Attention does not know where a token stands. Add the positions to the embeddings.",
        )
    for i in range(N - 1):
        cotangent = torch.zeros(1, N, V, dtype=torch.float64)
        cotangent[0, i] = 1.0
        answer = pair.module.request(ids, cotangents=(cotangent,))
        [gradient] = parameter_gradients(answer, ["positions.table"])
        if gradient is not None and bool(gradient[i + 1 :].ne(0).any()):
            _leak(f"The logits at place {i} have a gradient at the positions after it.", i)


def _leak(message, i):
    raise CheckFailure(
        "leak",
        message,
        received=f"leak {i}",
        cause="looks ahead",
        hint="The decoder hides later places if it is told to: causal=True.",
    )


@exercise(NAME)
@points(2)
def check_documents(student: Student, draw: Draw) -> None:
    """With `documents`, each document of a row gets the logits that it gets alone, whatever was computed before"""
    pair = twins(student, NAME, draw)
    for rows in (((1, 1),), ((2, 1),), ((3, 4), (5, 2), (7, 0)), ((2, 2), (1, 3))):
        B, N = len(rows), sum(rows[0])
        ids = ids_of(draw, B, N)
        documents = torch.tensor([[4] * first + [2] * second for first, second in rows])
        setting = f"documents {documents.tolist()}"
        logits = _agree(pair, ids, setting=setting, documents=documents)
        for b, (first, second) in enumerate(rows):
            for part in (slice(0, first), slice(first, first + second)):
                if part.stop > part.start:
                    alone = pair.reference(ids[b : b + 1, part])[0][0].detach()
                    message = "A document gets different logits in a packed row and alone."
                    expect.allclose(logits[b, part], alone, "The logits", size=20.0, setting=setting, message=message)
    no_side_effects(pair, [(ids, True, documents.flip(0))], ids, True, documents, what=_what())


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients reach every parameter, and a tied matrix collects those of both its uses"""
    for changes in ({}, {"tied": False}):
        pair, ids = twins(student, NAME, draw, **changes), ids_of(draw, 2, 7)
        cotangent = draw.normal(2, 7, V)
        answer = pair.module.request(ids, cotangents=(cotangent,))
        parameters = dict(pair.reference.named_parameters())
        logits, _ = pair.reference(ids)
        want = torch.autograd.grad((logits * cotangent).sum(), [*parameters.values()])
        own = answer.parameter_gradients
        found = parameter_gradients(answer, parameters)
        if changes == {} and found[0] is None:  # shared, under the name of the layer that was made first
            found[0] = next((own[key] for key in matching("output.weight", own)), None)
        with explain_randomness(pair.module, None, ids):
            for name, got, expected in zip(parameters, found, want, strict=True):
                if got is None:
                    expect.gradients([None], [expected], (name,), describe_changes(changes))
                    continue
                size, message = 20 * max(float(expected.abs().max()), 1.0), f"The gradient of {name} is wrong."
                expect.allclose(
                    got, expected, f"d/d {name}", size=size, setting=describe_changes(changes), message=message
                )


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, dropout acts on the sum of embedding and positions, and in the blocks; in eval mode nowhere"""
    p, wide = 0.25, 24
    # Embeddings of 0, positions of 1, no block, an output that is the identity: below 0 is what was dropped.
    changes = {"vocab_size": wide, "model_width": wide, "decoder_blocks": 0, "dropout": p, "tied": False}
    weights = {
        "embedding.weight": torch.zeros(wide, wide, dtype=torch.float64),
        "positions.table": torch.ones(LONGEST, wide, dtype=torch.float64),
        "output.weight": torch.eye(wide, dtype=torch.float64),
        "decoder.norm.gamma": torch.ones(wide, dtype=torch.float64),
        "decoder.norm.beta": torch.zeros(wide, dtype=torch.float64),
    }
    pair, ids = twins(student, NAME, draw, weights=weights, **changes), draw.integers(wide, 40, 7)
    told_of_eval = {"setting": f"eval mode, dropout={p}", "received": "eval"}
    still = _results(expect_still(pair.module, ids, setting=told_of_eval["setting"]), 0, 40, 7, wide)[0]
    if bool(still.detach().abs().gt(1e-6).any()):
        _dropout_fails("Dropout acts in eval mode, too.", told_of_eval)
    told_of = {"setting": f"training mode, dropout={p}", "received": "dropout"}
    with_documents = {name: f"{text}, with documents" for name, text in told_of.items()}
    for options, told in (({}, told_of), ({"documents": torch.zeros_like(ids)}, with_documents)):
        logits = _results(pair.module.when(training=True)(ids, **options), 0, 40, 7, wide)[0].detach()
        if bool(logits.abs().lt(1e-6).all()):
            before = weights | {name: 1 - weights[name] for name in ("embedding.weight", "positions.table")}
            other = twins(student, NAME, draw, weights=before, **changes).module.when(training=True)(ids, **options)
            dropped_before = not bool(_results(other, 0, 40, 7, wide)[0].detach().abs().lt(1e-6).all())
            _sum_not_dropped(told, dropped_before, bool(options))
        independent_elements(logits < 0, "Whole vectors are dropped.", "nn.Dropout decides for every number.", told)
        share_is(logits < 0, p, "The wrong share of numbers is dropped.", _ORDER, told)
    _blocks_drop(student, draw, told_of)


_ORDER = "The order is: embedding plus positions, then dropout, then the blocks."


def _sum_not_dropped(told_of, dropped_before, with_documents):
    """Fail, and say whether the embedding alone is dropped, or the sum only where there are no documents."""
    message = "In training, dropout does not act on the sum of embedding and positions."
    if dropped_before:
        hint = f"Dropout acts on the embedding before the positions are added. {_ORDER}"
        raise CheckFailure("dropout", message, **told_of, cause="dropout before the positions", hint=hint)
    if with_documents:
        hint = (
            "Without documents, dropout acts where it should. Look at the branch for documents: both branches need it."
        )
        raise CheckFailure("dropout", message, **told_of, cause="dropout missing with documents", hint=hint)
    _dropout_fails(message, told_of)


def _blocks_drop(student: Student, draw: Draw, told_of):
    """With a sum of 0, which no dropout changes, what the block adds shows whether the block drops."""
    changes = {"decoder_blocks": 1, "dropout": 0.25}
    weights = {"positions.table": torch.zeros(LONGEST, 15, dtype=torch.float64)}
    changes |= {"tied": False}
    weights["embedding.weight"] = torch.zeros(V, 15, dtype=torch.float64)
    pair, ids = twins(student, NAME, draw, weights=weights, **changes), ids_of(draw, 8, 5)
    answers = expect_still(pair.module, ids, setting="eval mode, dropout=0.25"), pair.module.when(training=True)(ids)
    still, moved = (_results(answer, 1, 8, 5)[0] for answer in answers)
    if torch.allclose(still, moved):
        _dropout_fails("In training nothing is dropped in the blocks.", told_of)
    hint = (
        "The config's dropout is an argument of nn.Dropout, on the sum of embedding and positions, and of the decoder."
    )
    pair, example = twins(student, NAME, draw, dropout=0.25), ids_of(draw, 1, 4)
    same_dropout_distribution(
        pair, example, what=_what(), draw=draw, setting="training mode, dropout=0.25", hint=hint, runs=FEW
    )


def _dropout_fails(message, told_of):
    raise CheckFailure(
        "dropout",
        message,
        **told_of,
        cause="dropout missing or in the wrong place",
        hint="The config's dropout is an argument of nn.Dropout and of the decoder. It acts in training mode only.",
    )


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 too; the ids are not changed; more than max_length tokens are refused"""
    ids = ids_of(draw, sizes.B, sizes.N_Q)
    # Only the dtype: what is wrong in float64 is wrong here too, and rounds differently in every way to write it.
    logits, _ = _results(twins(student, NAME, draw, torch.float32).module(ids), BLOCKS, sizes.B, sizes.N_Q)
    expect.dtype(logits, torch.float32, "The logits")
    pair = twins(student, NAME, draw)
    uses_its_inputs(pair.module, (ids,), ((ids + 1) % V,))
    same_twice(pair.module, ids)
    others = [(ids_of(draw, 3, 4),), (ids.flip(0),), (ids_of(draw, *ids.shape),)]
    no_side_effects(pair, others, ids, what=_what())
    hint = "layers.LearnedPositions raises a ValueError if it is called; any other error will do."
    raises_value_error(f"A row of {LONGEST + 1} tokens", hint, pair.module, ids_of(draw, 1, LONGEST + 1), error="")
