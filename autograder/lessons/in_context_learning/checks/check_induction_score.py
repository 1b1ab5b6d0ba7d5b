"""induction_score(A, ids), and the experiment that is measured with it."""

import torch
from torch import Tensor, nn

from autograder.checks import Draw, Student, exercise, expect, measured, modules, points, promises
from autograder.checks import weights as experiment
from autograder.lessons.in_context_learning import references
from autograder.lessons.in_context_learning.checks import check_my_learner, handed_in
from course_lib.generators import generator_of

NAME = "induction_score"
#: (B, H, N, V), the smallest first; one head, as many heads as tokens, and a long one.
SIZES = (
    (1, 1, 3, 2),
    (1, 2, 4, 2),
    (2, 1, 5, 3),
    (2, 3, 7, 4),
    (3, 3, 3, 2),
    (5, 5, 5, 3),
    (3, 2, 11, 5),
    (1, 4, 37, 7),
)


def _weights(draw: Draw, B: int, H: int, N: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Draw causal attention weights."""
    later = torch.ones(N, N, dtype=torch.bool).triu(1)
    return draw.normal(B, H, N, N, scale=2.0).masked_fill(later, -torch.inf).softmax(-1).to(dtype)


def _agree(student: Student, A: Tensor, ids: Tensor, more: str = "") -> Tensor:
    shown = f"ids {ids.tolist()}" if ids.numel() <= 12 else f"ids {tuple(ids.shape)}"
    setting = f"A {tuple(A.shape)}, {shown}{more}"
    score = expect.tensor(student.induction_score(A, ids), "The score")
    expect.shape(score, (A.shape[1],), "The score", "(H,)", setting)
    expect.allclose(score, references.induction_score(A.double(), ids), "The score", setting=setting)
    return score


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """The weight on the tokens behind earlier copies of a query's token, averaged over the queries that have one"""
    for B, H, N, V in SIZES:
        for _ in range(2):
            ids = draw.integers(V, B, N)
            ids[0, 2] = ids[0, 0]  # at least one copy
            _agree(student, _weights(draw, B, H, N), ids)


@exercise(NAME)
@points(1)
def check_perfect_heads(student: Student, draw: Draw) -> None:
    """A head that attends only there scores 1; one that attends to itself, to the copy or to the token before it scores less"""
    period = draw.permutation(5)
    ids = period.repeat(3)[None]  # 0 1 2 3 4 0 1 2 3 4 ...: the copy stands 5 places before
    place = torch.arange(15)
    heads = []
    for back in (4, 9, 0, 5, 1, 6):
        A = torch.zeros(15, 15, dtype=torch.float64)
        A[place, (place - back).clamp(min=0)] = 1.0
        heads.append(A)
    score = _agree(student, torch.stack(heads)[None], ids)
    expect.allclose(
        score[:1], torch.ones(1).double(), "The score", setting="a head that attends to the token after the copy"
    )


@exercise(NAME)
@points(1)
def check_without_copies(student: Student, draw: Draw) -> None:
    """Queries without an earlier copy do not count; if none has one, the score is 0"""
    for N in (1, 2, 5):
        _agree(student, _weights(draw, 1, 3, N), draw.permutation(7)[None, :N])
    ids = torch.stack((draw.permutation(7), torch.full((7,), 3), draw.integers(2, 7)))
    _agree(student, _weights(draw, 3, 2, 7), ids)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """It keeps the dtype, works on any memory layout and changes nothing in place"""
    ids = draw.integers(3, 2, 7)
    for dtype in (torch.float64, torch.float32):
        A = _weights(draw, 2, 3, 7, dtype)
        expect.dtype(_agree(student, A, ids), dtype, "The score")
        _agree(student, A.mT.contiguous().mT, ids.T.contiguous().T, ", transposed tensors")


#: What the experiment measures, by name, on the notebook's own chains.
RESULTS, NAMES = "results.json", ("two blocks", "one block", "induction heads off")
CHAINS, CHAINS_SEED, SCORED = 1000, 999, 500
#: The drawn ones on which both models are compared.
DRAWN = 100
#: A head whose score is above this is switched off.
ABOVE = 0.5
#: Both models as they are lie below this; who knows nothing has log 8 / 1.25, which is 1.67 times the best possible.
LEARNED = 1.55
#: How far a measured number may lie from the one that is measured here: rounding on another machine.
WITHIN = 0.01


@exercise(NAME)
@points(1)
@measured
def check_results_are_there(student: Student, seed: int) -> None:
    """results.json holds a prediction and a measurement for both models, and for the one without its induction heads"""
    experiment.results(student, RESULTS, NAMES)


@exercise(NAME)
@points(3)
@measured
def check_results_are_measured(student: Student, draw: Draw) -> None:
    """The numbers in results.json are those of the two models that were handed in, measured again"""
    from course_lib.data import draw_chains

    found = experiment.results(student, RESULTS, NAMES)
    files = (check_my_learner.FILE, check_my_learner.ONE_BLOCK)
    length, V, alpha = check_my_learner.LENGTH, check_my_learner.V, check_my_learner.ALPHA
    ids, drawn = (
        draw_chains(count, length, generator, V, alpha)[0]
        for count, generator in ((CHAINS, generator_of(CHAINS_SEED)), (DRAWN, draw.generator))
    )
    best = check_my_learner.best_losses(ids).mean()
    two, one = (
        handed_in.loaded(student, check_my_learner.NAME, file, ids, check_my_learner.V, *build)
        for file, build in zip(files, ((), (1,)), strict=True)
    )
    heads = [(b, h) for b, row in enumerate(_scores(two, ids[:SCORED, :-1])) for h, s in enumerate(row) if s > ABOVE]
    models = dict(zip(NAMES, (two, one, handed_in.switched_off(two, heads)), strict=True))
    again = {
        name: float(handed_in.losses(model, ids)[:, -check_my_learner.LAST :].mean() / best)
        for name, model in models.items()
    }
    setting = f"{CHAINS} chains, seed {CHAINS_SEED}"
    unlearned = {name: again[name] for name in NAMES[:2] if again[name] > LEARNED}
    experiment.require_learned(unlearned, f"at most {LEARNED} times the loss of counting", setting)
    experiment.require_two_trainings(
        (two, one),
        "feed_forward.W_1",
        lambda model: handed_in.probabilities(model, drawn[:, :-1]),
        f"{DRAWN} drawn chains",
    )
    experiment.confirm(found, again, WITHIN, setting)


@torch.no_grad()
def _scores(model: nn.Module, ids: Tensor) -> list[list[float]]:
    """Return the score of each head of each block, for a few sequences at a time: as a mean over all queries with a copy."""
    parts = ids.split(modules.rows_at_once(model))
    queries = torch.tensor([float(_with_a_copy(part)) for part in parts]).double()
    found = [torch.stack([references.induction_score(A, part) for A in model(part)[1]]).double() for part in parts]
    total: list[list[float]] = (torch.einsum("p,pbh->bh", queries, torch.stack(found)) / queries.sum()).tolist()
    return total


def _with_a_copy(ids: Tensor) -> int:
    """Count the queries whose token has come before."""
    earlier = (ids[:, :, None] == ids[:, None, :]).tril(-1)
    return int(earlier.any(dim=2).sum())
