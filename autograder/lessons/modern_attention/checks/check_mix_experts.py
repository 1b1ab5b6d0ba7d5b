"""mix_experts(X, logits, expert, k)."""

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Request, Sizes, StandIn, Student, exercise, expect, points, promises
from autograder.lessons.modern_attention import references

NAME = "mix_experts"
#: Width and experts. No size is another, and no expert is chosen by all.
D, E = 7, 5


class Case:
    """Rows, logits, and a spy in place of the experts that notes which rows each of them computes."""

    def __init__(self, draw: Draw, N: int, k: int, experts: int = E, scale: float = 2.0, dtype=torch.float64):
        self.X = draw.normal(N, D, dtype=dtype)
        self.logits = draw.normal(N, experts, scale=scale, dtype=dtype)
        self.weights, self.k = draw.normal(experts, D, D, dtype=dtype), k
        self.seen: list[Tensor] = []

    def one_expert(self, number: int, rows: Tensor) -> Tensor:
        return torch.tanh(rows @ self.weights[number])

    def chosen(self) -> Tensor:
        """Return which rows have chosen which expert, (N, E)."""
        kth = self.logits.sort(-1, descending=True).values[:, self.k - 1]
        return self.logits >= kth[:, None]

    def want(self, logits: Tensor | None = None) -> Tensor:
        return references.mix_experts(self.X, self.logits if logits is None else logits, self.one_expert, self.k)

    def said(self) -> str:
        return f"X {tuple(self.X.shape)}, {self.logits.shape[-1]} experts, k = {self.k}"

    def ask(self, student: Student, cotangents=None, before=()):
        spy = StandIn("course_lib.layers.SpyExperts", {"weights": self.weights})
        request = Request(NAME, (self.X, self.logits, spy, self.k), cotangents=cotangents, before=before)
        answer = student.answer(request)
        self.seen = answer.args_after[2].seen
        return answer

    def agree(self, student: Student, setting: str = "") -> Tensor:
        Y = expect.tensor(self.ask(student).value, "Y")
        expect.shape(Y, self.X.shape, "Y", "(N, D)", self.said())
        expect.allclose(Y, self.want(), "Y", size=4.0, setting=f"{self.said()}{setting}")
        return Y


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Y is the sum of the k chosen experts, weighted with a softmax over their k logits"""
    for N, k in [(1, 1), (11, 1), (1, 2), (11, 2), (13, 3), (2, 4)]:
        Case(draw, N, k).agree(student)
    Case(draw, 11, 2, experts=17).agree(student)


@exercise(NAME)
@points(1)
def check_far_logits(student: Student, draw: Draw) -> None:
    """Logits of a thousand, and an expert that no row has chosen, give the right numbers"""
    Case(draw, 11, 3, scale=1000.0).agree(student, ", logits of about 1000")
    case = Case(draw, 11, 2)
    case.logits[:, 2] -= 100
    case.logits[:, 3] += 100
    case.agree(student, ", all rows have chosen expert 3, none expert 2")


@exercise(NAME)
@points(1)
def check_all_experts(student: Student, draw: Draw) -> None:
    """With k = E it is the sum of all experts, weighted with a softmax over all logits"""
    case = Case(draw, 11, E)
    every = torch.stack([case.one_expert(number, case.X) for number in range(E)], dim=1)
    Y = case.agree(student)
    want = (case.logits.softmax(-1)[..., None] * every).sum(1)
    expect.allclose(Y, want, "Y", size=4.0, setting=f"{case.said()}, the dense sum")


@exercise(NAME)
@points(2)
def check_rows_of_each_expert(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each expert computes the rows that have chosen it, each once, and no other"""
    for N, k in [(11, 1), (13, 2), (11, 3)]:
        case = Case(draw, N, k)
        expect.shape(expect.tensor(case.ask(student).value, "Y"), case.X.shape, "Y", "(N, D)", case.said())
        for number, own in enumerate(case.chosen().unbind(-1)):
            want, got = case.X[own], case.seen[number]
            computed = (got[:, None] == case.X).all(-1).sum(0)
            if len(got) != len(want) or not torch.equal(computed, own.long()):
                raise CheckFailure(
                    "value",
                    "An expert has not computed exactly the rows that have chosen it.",
                    setting=f"{case.said()}, expert {number}",
                    expected=f"{len(want)} rows: {own.nonzero()[:, 0].tolist()}",
                    yours=f"{len(got)} rows" + (f": {computed.nonzero()[:, 0].tolist()}" if len(got) else ""),
                    received=torch.tensor([float(len(got)), *computed.tolist()]),
                    wanted=torch.tensor([float(len(want)), *own.tolist()]),
                    hint="The work that a mixture saves is that of the experts that a row has not chosen. Look at what each "
                    "expert is given.",
                )
        one, other = (expect.tensor(Case(draw, N, k).ask(student).value, "Y") for _ in range(2))
        expect.depends_on_its_inputs(one, other, "Y")
    for N, k in [(1, 1), (11, 2)]:
        _k_of_equals(student, Case(draw, N, k))


def _k_of_equals(student: Student, case: Case) -> None:
    """Fail unless k experts compute each row where all logits are equal, whichever these are."""
    case.logits = torch.zeros_like(case.logits)
    setting = f"{case.said()}, all logits equal"
    Y = expect.tensor(case.ask(student).value, "Y")
    expect.shape(Y, case.X.shape, "Y", "(N, D)", setting)
    computed = torch.stack([(rows[:, None] == case.X).all(-1).sum(0) for rows in case.seen], dim=-1)  # (N, E)
    if not bool(((computed <= 1).all(-1) & (computed.sum(-1) == case.k)).all()):
        raise CheckFailure(
            "value",
            "Where logits are equal, a row is not computed by k experts.",
            setting=setting,
            expected=f"{case.k} of the {E} experts for each row, whichever",
            yours=f"{computed.sum(-1).tolist()} for the rows",
            received=computed.double(),
            wanted=torch.full_like(computed, case.k).double(),
            cause="more experts than k at equal logits",
            hint="A comparison with the k-th largest logit also lets through all that are equal to it, as at the start of a "
            "router of zeros. Look at what says which experts are chosen: there have to be k.",
        )
    every = torch.stack([case.one_expert(number, case.X) for number in range(E)], dim=1)
    want = (computed.to(every.dtype)[..., None] * every).sum(1) / case.k
    expect.allclose(Y, want, "Y", size=4.0, setting=setting)


@exercise(NAME)
@points(2)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients reach the logits of the chosen experts through their weights, and only those"""
    for N, k in [(11, 2), (5, 4), (11, E)]:
        case = Case(draw, N, k)
        G = draw.normal(N, D)
        answer = case.ask(student, cotangents=(G,))
        leaf = case.logits.clone().requires_grad_()
        want = torch.autograd.grad((case.want(leaf) * G).sum(), leaf)
        expect.gradients(answer.gradients[1:2], want, ("logits",), case.said())


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """X and the logits stay as they are, float32 stays float32, and the order of the rows does not matter"""
    case = Case(draw, 11, 2, dtype=torch.float32)
    Y = case.agree(student, ", float32")
    expect.dtype(Y, torch.float32, "Y")
    case.X, case.logits = case.X.flip(0), case.logits.flip(0)
    expect.allclose(case.agree(student, ", float32"), Y.flip(0), "Y", setting="the rows in reverse order")
