"""parameter_count(config)."""

from typing import Any

from autograder.checks import CheckFailure, Constructed, Draw, Student, exercise, measured, points, promises
from autograder.lessons.transformer import references

NAME = "parameter_count"
SMALL: dict[str, Any] = {
    "vocab_size": 101,
    "model_width": 12,
    "num_heads": 3,
    "hidden_width": 17,
    "encoder_blocks": 2,
    "decoder_blocks": 3,
}
#: Counted by hand, published with the checkpoints, or both.
KNOWN = (
    (
        {
            "kind": "decoder",
            "vocab_size": 50257,
            "model_width": 768,
            "num_heads": 12,
            "hidden_width": 3072,
            "decoder_blocks": 12,
            "max_length": 1024,
            "norm": "pre",
            "activation": "gelu",
        },
        124_439_808,
        "GPT-2, the smallest",
    ),
    (
        {
            "kind": "encoder",
            "vocab_size": 30522,
            "model_width": 768,
            "num_heads": 12,
            "hidden_width": 3072,
            "encoder_blocks": 12,
            "max_length": 512,
            "activation": "gelu",
            "segments": 2,
            "pooler": True,
        },
        109_482_240,
        "BERT-Base",
    ),
    (
        {
            "kind": "vision",
            "model_width": 768,
            "num_heads": 12,
            "hidden_width": 3072,
            "encoder_blocks": 12,
            "max_length": 197,
            "norm": "pre",
            "activation": "gelu",
            "patch_size": 16,
            "classes": 1000,
        },
        86_567_656,
        "ViT-Base",
    ),
)
#: What the model itself holds, beside its parts: the class token.
VISION = {"kind": "vision", "vocab_size": 0, "max_length": 10, "norm": "pre", "patch_size": 2, "classes": 5}


def _count(student: Student, fields):
    count = student.parameter_count(Constructed("TransformerConfig", fields))
    if type(count) is not int:  # not a subclass either, which could call itself equal to anything
        raise CheckFailure(
            "type",
            "The count should be a whole number.",
            yours=f"a {type(count).__name__}",
            received=type(count).__name__,
            cause="not a whole number",
            hint="numel() gives an int; their sum is an int as well.",
        )
    return count


def _compare(student: Student, fields, want, what):
    got = _count(student, fields)
    if got != want:
        raise CheckFailure(
            "value",
            f"The count for {what} is wrong.",
            expected=f"{want:,}",
            yours=f"{got:,}",
            received=got / want,
            cause="wrong count",
            hint="Every entry of every parameter counts once, a shared parameter too.",
        )


def _reference_count(changes):
    return references.parameter_count(references.TransformerConfig(**(SMALL | changes)))


@exercise(NAME)
@points(3)
def check_small_models(student: Student) -> None:
    """Every number of every parameter is counted, and what is shared only once"""
    for changes in ({}, {"tied": False}, {"norm": "pre"}, {"encoder_blocks": 1, "hidden_width": 5}, VISION):
        changed = ", ".join(f"{key}={value!r}" for key, value in changes.items()) or "a small encoder-decoder"
        _compare(student, SMALL | changes, _reference_count(changes), changed)


@exercise(NAME)
@points(1)
@promises
def check_known_models(student: Student) -> None:
    """The counts of published models come out"""
    for fields, want, what in KNOWN:
        _compare(student, fields, want, what)


@exercise(NAME)
@points(3)
@measured
def check_no_memory(student: Student, draw: Draw) -> None:
    """Counting takes no memory: the model is built on the meta device"""
    fields, want, what = KNOWN[0]

    def fresh() -> tuple:
        return (Constructed("TransformerConfig", fields | {"vocab_size": 50257 + int(draw.integers(1000))}),)

    _compare(student, SMALL, _reference_count({}), "a small encoder-decoder")
    needed = student.peak_memory(NAME, fresh)
    if needed > want:  # a byte for each parameter; in float32 it takes four
        raise CheckFailure(
            "memory",
            "The model is built in memory.",
            setting=f"as {what}, with at least {want:,} parameters",
            expected="hardly any memory, whatever the size",
            yours=f"{needed / 2**20:,.0f} MiB",
            received="memory",
            cause="built in memory",
            hint='Inside `with torch.device("meta"):` tensors have a shape and no numbers.',
        )
