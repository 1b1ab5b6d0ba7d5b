"""our_name(name)."""

from autograder.checks import Draw, Student, exercise, loading, points, promises
from autograder.lessons.fine_tuning import references

NAME = "our_name"
KINDS = ("weight", "bias")
_AROUND = ("word_embeddings.weight", "token_type_embeddings.weight", "position_embeddings.weight")
_INSIDE = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


def _same(student: Student, names: list[str], hint: str) -> None:
    """Compare what the student makes of these names with what they are in the course's encoder."""
    loading.names_are(names, references.our_name, student.our_name, "BertEncoder", _cause, hint)


def _cause(name: str, want: str | None, got: object) -> tuple[str, str]:
    """Return what is wrong with a name, and a sentence about it; empty texts if nothing is known."""
    if want is None:
        return "a name for what has no place", ""
    if got is None:
        return "None for a tensor that has a place", "Your encoder has such a parameter."
    block = ".".join(name.split(".")[:3])
    names = [f"{block}.{part}.{kind}" for part in (*_INSIDE, *_NORMS) for kind in KINDS]
    names = names if name.startswith("encoder.") else [f"embeddings.{each}" for each in _AROUND]
    if other := next((each for each in names if references.our_name(each) == got), None):
        return "the place of another tensor", f"{got} is the place of {other}."
    parts, wanted = str(got).split("."), want.split(".")
    if len(parts) == len(wanted):
        wrong = [n for n, (one, two) in enumerate(zip(parts, wanted, strict=True)) if one != two]
        if wrong == [2] and name.startswith("encoder."):
            return "another block", "The number of the block is wrong."
        if wrong == [len(wanted) - 1]:
            return "another last word", f"Your encoder calls it {wanted[-1]} there, and not {parts[-1]}."
    return "", ""


@exercise(NAME)
@points(1)
def check_embeddings(student: Student) -> None:
    """The tables of the embeddings, and their LayerNorm, get the names that they have in your encoder"""
    names = [f"embeddings.{name}" for name in _AROUND] + [f"embeddings.LayerNorm.{kind}" for kind in KINDS]
    _same(student, names, "Print the names of both sides, and pair them by what the tensors do.")


@exercise(NAME)
@points(2)
@promises
def check_blocks(student: Student, draw: Draw) -> None:
    """The tensors of every block get their names in your encoder, whatever the number of the block"""
    for number in (0, 3, 10, int(12 + draw.integers(80))):
        parts = [f"encoder.layer.{number}.{part}.{kind}" for part in _INSIDE for kind in KINDS]
        norms = [f"encoder.layer.{number}.{part}.{kind}" for part in _NORMS for kind in KINDS]
        if number > 9:
            _same(student, [*parts, *norms], "Blocks 0 and 3 get their names. A number may have two digits.")
            continue
        _same(
            student, parts, "W_1 is the layer that makes the vectors wider, W_2 the one that makes them narrow again."
        )
        _same(
            student, norms, "norm_1 is the one after the attention. In the blocks, weight and bias are gamma and beta."
        )


@exercise(NAME)
@points(1)
def check_others(student: Student) -> None:
    """A tensor that has no place in the encoder gets None: those of the pooler, the numbers of the positions, an output layer"""
    names = ("pooler.dense.weight", "pooler.dense.bias", "embeddings.position_ids", "cls.predictions.bias")
    _same(
        student, ["embeddings.word_embeddings.weight", *names], "Return None for a name that is in no row of the table."
    )
