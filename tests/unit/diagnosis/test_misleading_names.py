"""Names that were once given to other mistakes: the diagnosis must explain an answer without the half that is hidden from it."""

import pytest
from known import ASSIGNMENTS, LESSONS
from some_cases import one_in

from autograder.authoring.diagnosis_names import hidden_half, names_of
from autograder.checks.execute import NotebookStudent, call_check
from autograder.content.lesson import mark_value
from autograder.content.references import namespace
from autograder.diagnosis import diagnose
from autograder.diagnosis.search import RequestRecorder
from autograder.verdict.runner import run_checks

pytestmark = pytest.mark.slow

#: (lesson, exercise, wrong answer, what must not be said of it)
MISLED = (
    # Rounding is near the right numbers, and so near many patterns.
    ("01-attention", "softmax", "rounded_to_float32_inside", "only the first of the batch is right"),
    ("01-attention", "softmax", "small_number_in_denominator", "largest takes all"),
    # Both stop at the same inputs.
    ("01-attention", "scaled_dot_product_attention", "queries_as_keys", "weights transposed"),
    # The right answer was recorded only up to a blocked function.
    ("01-attention", "blockwise_attention", "running_maximum_started_at_zero", "no maximum"),
    # The two inputs of one check only.
    ("01-attention", "SelfAttention", "self_excluded", "does not depend on its inputs"),
    # Other rows show other numbers.
    ("03-transformer-blocks", "LayerNorm", "over_the_batch", "over the sequence"),
    ("03-transformer-blocks", "EncoderBlock", "no_residuals", "no residual around feed forward"),
    ("11-vit", "VisionTransformer", "norm_left_out", "long residual"),
    ("05-translation", "train", "step_forgotten", "one step at the end"),
    # It stops where the known mistake does not.
    (
        "02-multi-head-attention",
        "MultiHeadAttention",
        "queries_and_keys_swapped_in_the_call",
        "queries and keys swapped",
    ),
    # Weights along another axis, or all of them 0 or 1, are right numbers that look like a mistake.
    ("01-attention", "softmax", "maximum_over_wrong_dimension", "weights do not sum to 1"),
    ("05-translation", "greedy_translate", "weights_of_the_last_step", "a hidden key gets weight"),
    # Two results are no batch, and one of two is not all that is returned.
    ("05-translation", "shifted_targets", "not_shifted", "only the first of the batch is right"),
    ("03-transformer-blocks", "EncoderBlock", "weights_left_on_self", "nothing returned"),
    # A row looks at its own property only.
    ("01-attention", "blockwise_attention", "diagonal_block_left_out", "hidden blocks are computed"),
    # A guess that supposes right values.
    ("11-vit", "VisionTransformer", "class_token_of_zeros", "dropout in the wrong place"),
    # The weights of a classifier are no attention weights, and "a loss of" no name of a vector a.
    ("12-vision-language", "linear_probe", "bias_missing", "negative weights"),
    # A loss belongs to the whole batch.
    ("12-vision-language", "clip_loss", "any_of_the_equal_ones", "masks of the batch mixed"),
    ("13-retrieval", "in_batch_loss", "hits_get_zero", "examples of the batch mixed"),
    # Where the values are wrong, the factor of a gradient follows from them.
    ("12-vision-language", "gan_losses", "generator_uses_real", "off by a constant factor"),
    # Of one number, a division by its sum makes 1, and less its mean it is 0.
    ("01-attention", "blockwise_attention", "last_block_only", "a subtraction of the mean of each row too many"),
    ("01-attention", "blockwise_attention", "nothing_rescaled", "a division by the sum of each row too many"),
    # What a check guesses is looked at more closely.
    ("12-vision-language", "augment", "one_move_for_all", "moved as far to the right as down"),
    ("14-recommendation", "SequentialRecommender", "last_video_hidden", "the history is not seen"),
    # It makes no difference in two calls, and one in others.
    ("02-multi-head-attention", "padding_mask", "zero_taken_for_no_length", "lengths makes no difference"),
    # One draw decides many tokens, so that their share is far off.
    ("09-mlm-pretraining", "mask_tokens", "same_places_in_every_row", "wrong share of tokens chosen"),
    # A guess of the check, and a known mistake that gives the very spans.
    ("10-fine-tuning", "best_span", "start_first", "ends before it begins"),
)


def _said(assignment, exercise, name):
    lesson = LESSONS.of(assignment)
    case = next(case for case in hidden_half(lesson, exercise) if case.name == name)
    return names_of(lesson, exercise, case)


@pytest.mark.parametrize(
    ("assignment", "exercise", "name", "not_said"), one_in(6, MISLED, "each searches for the causes of one answer")
)
def test_misleading_names_are_not_given(assignment, exercise, name, not_said):
    assert not_said not in _said(assignment, exercise, name)


def test_names_results_in_another_order():
    assert _said("01-attention", "SelfAttention", "weights_before_output") == "results in the wrong order"


def test_rounding_is_called_rounding():
    assert _said("01-attention", "softmax", "rounded_to_float32_inside") == "right in the first digits only"


@pytest.mark.nightly(reason="runs all checks of all references, as the contract does")
@pytest.mark.usefixtures("shapes_unchecked")  # some checks pass a stand-in for a model
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_no_check_stops_early_on_a_right_answer(assignment):
    lesson = LESSONS.of(assignment)
    for exercise in lesson.exercises:
        for name, check in lesson.checks(exercise).items():
            if mark_value(check, "measured"):
                continue
            recorder = RequestRecorder(diagnose.reference_student(lesson))
            failure = call_check(check, recorder, 17)
            # A reference need not save work.
            assert failure is None or failure.kind == "work", f"{exercise}: {name}: {failure}"


@pytest.mark.parametrize(
    ("assignment", "exercise", "edit", "name"),
    [
        ("10-fine-tuning", "TokenTagger", (".output(Y)", ".output(Y).flatten(0, 1)"), "axes merged or split"),
        ("10-fine-tuning", "TokenTagger", (".output(Y)", ".output(Y).squeeze(0)"), "axes of length 1 dropped"),
    ],
)
def test_diagnoses_a_shape_from_inputs_with_distinct_lengths(assignment, exercise, edit, name):
    text = """
class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(model_width, tags)
    def forward(self, Y):
        Y = self.dropout(Y)
        return self.output(Y)
"""
    lesson = LESSONS.of(assignment)
    names = namespace(lesson)
    exec(text.replace(*edit), names)
    assert run_checks(exercise, NotebookStudent(names, lesson, deep=False), 5).named == [name]
