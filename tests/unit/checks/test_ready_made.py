"""While a lesson is graded, nothing importable answers its exercises: neither of the course's own library nor of PyTorch."""

import contextlib
import inspect
import sys

import pytest
from candidates import course, quick, wide
from earning import finds
from finder import call_of
from known import ASSIGNMENTS, LESSONS
from recorded import exchanges, right_names

from autograder.checks.execute import suppress_output
from autograder.runtime.blocked.calls import block_functions
from autograder.runtime.student import StandIn

pytestmark = pytest.mark.usefixtures("shapes_unchecked")

EXERCISES = [(lesson, name) for lesson in ASSIGNMENTS for name in LESSONS.of(lesson).exercises]

AXES = (
    "To move and to join axes is the exercise, and every function of PyTorch that does so is a step of a right answer."
)
CUTS = "It cuts pictures as libraries do; which axis stands where still has to be known. Right answers of other styles use it."
LOSS = "The exercise says that it may be used."

#: Tools that an exercise leaves to the student: the beginning of their names, and why.
ALLOWED = {
    "grid_features": {"torch.": AXES},
    "weights_to_grid": {"torch.": AXES},
    "split_heads": {"torch.": AXES},
    "merge_heads": {"torch.": AXES},
    "mlm_loss": {"torch.": LOSS},
    "MixtureOfExperts": {"torch.": "Its logits are those of one linear layer, which the class already holds."},
    "TokenTagger": {"torch.": "It is one linear layer, which the class already holds."},
    "patchify": {"torch.": CUTS},
    "unpatchify": {"torch.": CUTS},
}

#: What the finder must find where nothing is forbidden. Without these a search that finds nothing would prove nothing.
MUST_BE_FOUND = {
    ("01-attention", "softmax"): [
        "torch.softmax",
        "torch.nn.functional.softmax",
        "torch.nn.Softmax",
        "torch.log_softmax",
    ],
    ("01-attention", "scaled_dot_product_attention"): [
        "course_lib.layers.attention.scaled_dot_product_attention",
        "torch.nn.functional.scaled_dot_product_attention",
    ],
    ("01-attention", "causal_mask"): ["course_lib.layers.masks.causal_mask"],
    ("02-multi-head-attention", "split_heads"): ["course_lib.layers.heads.split_heads"],
    ("02-multi-head-attention", "MultiHeadAttention"): ["course_lib.layers.multi_head.MultiHeadAttention"],
    ("02-multi-head-attention", "padding_mask"): ["course_lib.layers.masks.padding_mask"],
    ("03-transformer-blocks", "LayerNorm"): [
        "course_lib.layers.norm.LayerNorm",
        *(f"torch.nn.functional.{name}_norm" for name in ("layer", "group", "batch", "instance")),
        "torch.native_layer_norm",
    ],
    ("03-transformer-blocks", "sinusoidal_positions"): [
        "course_lib.layers.positions.sinusoidal_positions",
        "course_lib.layers.transformer.Transformer's buffers",
    ],
    ("03-transformer-blocks", "EncoderBlock"): [
        "course_lib.layers.blocks.EncoderBlock",
        "torch.nn.TransformerEncoderLayer",
    ],
    ("06-captioning", "caption_loss"): ["course_lib.training.next_token.next_token_loss"],
    ("09-mlm-pretraining", "BertEmbeddings"): ["course_lib.layers.bert.TokenEncoder"],
    ("09-mlm-pretraining", "BertEncoder"): ["course_lib.layers.bert.TokenEncoder"],
    ("11-vit", "VisionTransformer"): ["course_lib.layers.vit.VisionTransformer"],
}


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
@pytest.mark.nightly(reason="in every run, the contract tries one blocked function for each exercise")
def test_nothing_of_the_course_and_no_function_at_hand_answers_an_exercise(assignment, exercise):
    """Each candidate is asked one question of the exercise."""
    _nothing_answers(assignment, exercise, quick(), most=1, thorough=False)


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
@pytest.mark.nightly(reason="every operator of PyTorch is tried, which takes a minute for each exercise")
def test_nothing_ready_made_answers_an_exercise(assignment, exercise):
    _nothing_answers(assignment, exercise, wide(), most=3, thorough=True)


def _nothing_answers(assignment, exercise, candidates, most, thorough):
    found = finds(LESSONS.of(assignment), exercise, candidates, most=most, thorough=thorough)
    allowed = tuple(ALLOWED.get(exercise, ()))
    told = [f"{name} ({way}) earns {points:g}" for name, (way, points) in found.items() if not name.startswith(allowed)]
    assert not told, "\n".join(told)


@pytest.mark.parametrize(("assignment", "exercise"), MUST_BE_FOUND)
@pytest.mark.nightly(reason="shows that the two searches above can find something")
def test_where_nothing_is_forbidden_the_ready_made_is_found(assignment, exercise):
    names = MUST_BE_FOUND[assignment, exercise]
    known = {name: wide()[name] for name in names}
    found = finds(LESSONS.of(assignment), exercise, known, most=3, thorough=True, allow=True)
    assert found.keys() == set(names)


def test_no_function_of_the_course_is_a_training_loop_where_one_is_asked_for():
    """Found by use: whatever takes the first arguments of a check, or a keyword more, and calls the model inside the loss."""
    lesson, loop = LESSONS.of("05-translation"), "course_lib.training.fit.fit"
    assert _training_loops(lesson, "train", (), {loop: course()[loop]}) == {loop}
    assert not _training_loops(lesson, "train", lesson.forbidden_in("train"), course())


def _training_loops(lesson, exercise, forbid, things):
    request = next(one.request for one in exchanges(lesson, exercise) if isinstance(one.request.args[0], StandIn))
    spies, found = inspect.getfile(request.args[0].cls), set()
    for name, thing in things.items():
        if not inspect.isfunction(thing) or inspect.unwrap(thing).__code__.co_filename == spies:
            continue
        options = [key for key, one in inspect.signature(thing).parameters.items() if one.kind is one.KEYWORD_ONLY]
        for given in ({}, *({key: 1} for key in options)):
            for count in range(1, len(request.args) + 1):
                args = call_of(request, right_names(lesson, exercise)).args[:count]
                with (
                    _calls_into(spies) as seen,
                    contextlib.suppress(Exception),
                    suppress_output(),
                    block_functions(forbid),
                ):
                    thing(*args, **given)
                if {"__call__", "forward"} <= seen:
                    found.add(name)
    return found


@contextlib.contextmanager
def _calls_into(file):
    """Collect the names of the functions of this file that are called."""
    seen = set()
    sys.setprofile(lambda frame, *_: seen.add(frame.f_code.co_name) if frame.f_code.co_filename == file else None)
    try:
        yield seen
    finally:
        sys.setprofile(None)


def test_allowed_entries_belong_to_exercises():
    assert set(ALLOWED) <= {exercise for _, exercise in EXERCISES}
