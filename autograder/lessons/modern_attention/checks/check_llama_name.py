"""llama_name(name)."""

import re

from autograder.checks import Draw, Student, exercise, loading, points, promises
from autograder.lessons.modern_attention import references

NAME = "llama_name"
_AROUND = ("model.embed_tokens.weight", "model.norm.weight")
_ATTENTION = tuple(f"self_attn.{letter}_proj" for letter in "qkvo")
_GATED = tuple(f"mlp.{part}_proj" for part in ("gate", "up", "down"))
_NORMS = ("input_layernorm", "post_attention_layernorm")


def _same(student: Student, names: list[str], hint: str) -> None:
    """Compare what the student makes of these names with what they are in ModernDecoder."""
    loading.names_are(names, references.llama_name, student.llama_name, "ModernDecoder", _cause, hint)


def _cause(name: str, want: str | None, got: object) -> tuple[str, str]:
    """Return what is wrong with a name, and a sentence about it; empty texts if nothing is known."""
    if want is None:
        return "a name for what has no place", ""
    if re.match(r"model\.layers\.\d\d", name):  # blocks 0 and 3 come first, and are right
        return "numbers of one digit", "Blocks 0 and 3 get their names. The number of a block may have two digits."
    if got is None:
        return (
            "None for a tensor that has a place",
            "Your decoder has such a parameter, or the loader has to notice the tensor.",
        )
    block = ".".join(name.split(".")[:3])
    names = [f"{block}.{part}.weight" for part in (*_ATTENTION, *_GATED, *_NORMS)]
    names = names if name.startswith("model.layers.") else list(_AROUND)
    if other := next((each for each in names if each != name and references.llama_name(each) == got), None):
        return "the place of another tensor", f"{got} is the place of {other}."
    parts, wanted = str(got).split("."), want.split(".")
    if len(parts) == len(wanted):
        wrong = [n for n, (one, two) in enumerate(zip(parts, wanted, strict=True)) if one != two]
        if wrong == [1] and want.startswith("blocks."):
            return "another block", "The number of the block is wrong."
        if wrong == [len(wanted) - 1]:
            return "another last word", f"It should end in {wanted[-1]}, and not in {parts[-1]}."
    if str(got) == f"{want}.weight":
        return "another last word", "A norm of the lesson has no part: its scale is a parameter of the block itself."
    return "", ""


@exercise(NAME)
@points(1)
def check_around_the_blocks(student: Student) -> None:
    """The embedding and the last norm get the names that they have in your decoder"""
    _same(student, list(_AROUND), "Print the names of both sides, and pair them by what the tensors do.")


@exercise(NAME)
@points(2)
@promises
def check_blocks(student: Student, draw: Draw) -> None:
    """The tensors of every block get their names in your decoder, whatever the number of the block; a bias stays a bias"""
    for number in (0, 3, 10, int(12 + draw.integers(80))):
        block = f"model.layers.{number}"
        maps = [f"{block}.{part}.weight" for part in (*_ATTENTION, *_GATED)]
        _same(student, maps, "The letters say which map it is.")
        norms = [f"{block}.{part}.weight" for part in _NORMS]
        _same(
            student,
            norms,
            "Llama's norms stand before what they belong to: which of them comes right after the attention?",
        )
        biases = [f"{block}.{part}.bias" for part in _ATTENTION[:3]]
        _same(student, biases, "Your decoder has no such bias. If the name says so, the loader can refuse it.")


@exercise(NAME)
@points(1)
def check_others(student: Student) -> None:
    """An output that is the embedding again, and stored angles, get None"""
    names = [_AROUND[0], "lm_head.weight", "model.rotary_emb.inv_freq", "model.layers.2.self_attn.rotary_emb.inv_freq"]
    _same(student, names, "Return None for what your decoder has already, or computes.")
