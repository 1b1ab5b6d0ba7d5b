"""What a wrong answer ignores or mixes is found by changing one thing at a time, and a right answer shows nothing of the kind."""

import pytest
import torch
from answers import student
from known import ASSIGNMENTS, LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import cases_of
from autograder.content.references import namespace
from autograder.diagnosis import probes
from autograder.diagnosis.diagnose import reference_student
from autograder.diagnosis.probes import changes, faulty_module
from autograder.diagnosis.search import Recording
from autograder.runtime.student import Request

LESSON = LESSONS.of("01-attention")
RIGHT = reference_student(LESSON)
ATTENTION = "scaled_dot_product_attention"
generator = torch.Generator().manual_seed(0)


def _draw(*shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


QKV = [(_draw(2, 4, 3), _draw(2, 5, 3), _draw(2, 5, 6)) for _ in range(2)]
MASKED = [(*args, torch.rand(2, 4, 5, generator=generator) < 0.7) for args in QKV]
X = [_draw(2, 4, 5) for _ in range(2)]
MAPS = [{f"W_{letter}.weight": _draw(3, 5) for letter in "QKV"} for _ in range(2)]


@pytest.fixture(autouse=True)
def same_numbers_in_any_order():
    generator.manual_seed(1)


def _attention(body):
    return student(f"def {ATTENTION}(Q, K, V, allowed=None):\n{body}\n    return A @ V, A")


SCORES = "    E = Q @ K.mT / Q.shape[-1] ** 0.5\n"
MASK = "    E = E if allowed is None else E.masked_fill(~allowed, -torch.inf)\n"
SOFTMAX = "    A = torch.softmax(E, dim=-1).nan_to_num()"
MODULE = """
class SelfAttention(nn.Module):
    def __init__(self, input_width, key_width, value_width=None):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(input_width, key_width, bias=False) for _ in "QKV")
    def forward(self, X):
        A = torch.softmax(self.W_Q(X) @ {keys}.mT / 3**0.5, dim=-1)
        return A @ {values}, A
"""


@pytest.mark.parametrize(
    ("answer", "requests", "found"),
    [
        (_attention(SCORES + MASK + SOFTMAX), [Request(ATTENTION, args) for args in MASKED], None),
        (
            _attention(SCORES + SOFTMAX),
            [Request(ATTENTION, args) for args in MASKED],
            "allowed makes no difference",
        ),
        (
            _attention(SCORES + SOFTMAX),
            [Request(ATTENTION, args[:3], {"allowed": args[3]}) for args in MASKED],
            "allowed makes no difference",
        ),
        (
            _attention(SCORES + MASK + SOFTMAX.replace("-1", "0")),
            [Request(ATTENTION, args) for args in QKV],
            "examples of the batch mixed",
        ),
        (
            _attention(SCORES + MASK.replace("~allowed", "~allowed[:1]") + SOFTMAX),
            [Request(ATTENTION, args) for args in MASKED],
            "masks of the batch mixed",
        ),
        (
            _attention(SCORES + "    E = E + torch.full_like(E, -torch.inf).triu(1)\n" + SOFTMAX),
            [Request(ATTENTION, args) for args in QKV],
            "later rows never seen",
        ),
        (  # the value of the most similar key alone: which one it is depends on all keys
            _attention(SCORES + MASK + "    A = torch.nn.functional.one_hot(E.argmax(-1), E.shape[-1]).to(E)"),
            [Request(ATTENTION, args) for args in QKV],
            None,
        ),
        (  # a number that makes no difference in a few calls only
            student("def softmax(E, dim=-1): return E.exp() / E.exp().sum(-1, keepdim=True)"),
            [Request("softmax", (x, 0)) for x in X],
            None,
        ),
        (
            student("def softmax(E, dim=-1): return E.exp() / E.exp().sum(-1, keepdim=True)"),
            [Request("softmax", (x, 0)) for x in (*X, X[0].exp())],
            "dim makes no difference",
        ),
        (  # without a default
            student("def softmax(E, dim): return E.exp() / E.exp().sum(-1, keepdim=True)"),
            [Request("softmax", (x, 0)) for x in (*X, X[0].exp())],
            "dim makes no difference",
        ),
        (
            student(MODULE.format(keys="self.W_K(X)", values="self.W_V(X)")),
            [Request("SelfAttention", (x,), build=(5, 3, 3), weights=maps) for x, maps in zip(X, MAPS, strict=True)],
            None,
        ),
        (
            student(MODULE.format(keys="self.W_Q(X)", values="self.W_V(X)")),
            [Request("SelfAttention", (x,), build=(5, 3, 3), weights=maps) for x, maps in zip(X, MAPS, strict=True)],
            "W_K makes no difference",
        ),
        (  # with values of 0 it is right, but then nothing could be wrong
            student(MODULE.format(keys="self.W_K(X)", values="self.W_V(X).relu()")),
            [Request("SelfAttention", (x,), build=(5, 3, 3), weights=maps) for x, maps in zip(X, MAPS, strict=True)],
            None,
        ),
        (  # what is done with the keys is wrong, but values of 0 hide no weights
            student(MODULE.format(keys="self.W_K(X).relu()", values="self.W_V(X)")),
            [Request("SelfAttention", (x,), build=(5, 3, 3), weights=maps) for x, maps in zip(X, MAPS, strict=True)],
            None,  # with keys or with queries of 0 it is right: no part stands out
        ),
        (  # one request is no evidence
            student(MODULE.format(keys="self.W_Q(X)", values="self.W_V(X)")),
            [Request("SelfAttention", (X[0],), build=(5, 3, 3), weights=MAPS[0])],
            None,
        ),
        (  # the same call gives other results, so the others of a batch change by themselves
            _attention(SCORES + MASK + SOFTMAX + " + 0.01 * torch.rand(1)"),
            [Request(ATTENTION, args) for args in QKV],
            None,
        ),
        (  # noise
            student("def softmax(E, dim=-1): return torch.rand_like(E)"),
            [Request("softmax", (x, 0), training=True) for x in X],
            None,
        ),
    ],
)
def test_names_inputs_that_are_ignored_or_mixed(answer, requests, found):
    told = probes.probe(answer, RIGHT, RIGHT.namespace[requests[0].name], requests, faulty_module)
    assert (told and told[0]) == found


TAGGER = """
class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(model_width, tags)
    def forward(self, Y):
        return self.output(self.dropout(Y[:, 1:-1]))
"""


def test_a_result_without_numbers_shows_no_ignored_argument():
    """Of one or two tokens nothing is left here, which no dropout changes."""
    right = reference_student(LESSONS.of("10-fine-tuning"))
    weights = {"output.weight": QKV[0][0][0, :2], "output.bias": QKV[0][0][0, 0, :2]}
    more = {"build": (3, 2, 0.0), "weights": weights}
    requests = [Request("TokenTagger", (QKV[0][1][:1, :N],), training=N < 3, **more) for N in (1, 2, 4, 5)]
    assert probes.probe(student(TAGGER), right, right.namespace["TokenTagger"], requests) is None


SEARCH = LESSONS.of("13-retrieval")
JOINED = """
def probe_search(queries, documents, centroids, order, starts, k, probes):
    near = (queries @ centroids.T).topk(probes, dim=1).indices.unique()
    some = torch.cat([order[starts[c]:starts[c + 1]] for c in near])
    values, places = (queries @ documents[some].T).topk(k, dim=1)
    return values, some[places]
"""

# Changed centroids change what it finds, and not what a search of all lists finds; and in one call there are as many as queries.
ONE_LIST = JOINED.replace(".topk(probes, dim=1).indices.unique()", ".argmax(dim=1)").replace(
    "    some = torch.cat([order[starts[c]:starts[c + 1]] for c in near])\n"
    "    values, places = (queries @ documents[some].T).topk(k, dim=1)\n"
    "    return values, some[places]",
    "    of = torch.empty_like(order)\n"
    "    of[order] = torch.repeat_interleave(torch.arange(len(centroids)), starts.diff())\n"
    "    values, ids = (queries @ documents.T).masked_fill(of != near[:, None], -torch.inf).topk(k, dim=1)\n"
    "    return values, ids.masked_fill(values == -torch.inf, -1)",
)


def test_a_batch_may_be_mixed_where_other_arguments_belong_to_all_examples():
    generator.manual_seed(4)  # numbers for which the best document of one query lies in the list of another
    lesson_right = reference_student(SEARCH)
    documents, centroids = _draw(11, 3), _draw(5, 3)
    order, starts = lesson_right.inverted_lists(documents, centroids)
    rest = (documents, centroids, order, starts)
    requests = [
        Request("probe_search", (_draw(2, 3), *rest, 1, 1)),
        Request("probe_search", (_draw(5, 3), *rest, 1, 5)),
    ]
    found = [
        probes.probe(student(text, SEARCH), lesson_right, namespace(SEARCH)["probe_search"], requests)
        for text in (JOINED, "", ONE_LIST)
    ]
    assert [told and told[0] for told in found] == ["examples of the batch mixed", None, None]


def test_rows_that_belong_together_are_no_batch():
    """A column's smallest number may be in another row than the first: then a change of the first row changes no other result."""
    X = torch.tensor([[0.5, 0.25], [-3.0, -2.0], [1.0, 2.0]], dtype=torch.float64)
    right, wrong = (student(f"def spread(X): return X - {low}") for low in ("X.amin(0)", "X.abs().amax(0)"))
    requests = [Request("spread", (x,)) for x in (X, X + 1, 10 * X)]
    assert probes.batch_leakage(wrong, right, requests) is None
    mean = student("def spread(X): return X - X.amin(1, keepdim=True).mean(0)")
    alone = student("def spread(X): return X - X.amin(1, keepdim=True)")
    found = probes.batch_leakage(mean, alone, requests)
    assert found
    assert found[0] == "examples of the batch mixed"


def test_an_argument_that_matters_in_one_call_is_not_ignored():
    lesson = LESSONS.of("02-multi-head-attention")
    answer = student(
        "def padding_mask(lengths, N_K):\n"
        "    lengths = torch.where(lengths == 0, N_K, lengths)\n"
        "    return (torch.arange(N_K) < lengths[:, None])[:, None, None]",
        lesson,
    )
    blind = [Request("padding_mask", (torch.tensor(lengths), 3)) for lengths in ([0, 3], [3, 0], [0, 0, 3], [3, 0, 3])]
    seen = [Request("padding_mask", (torch.tensor([2, 1]), 7))]
    function = namespace(lesson)["padding_mask"]
    told = [
        probes.probe(answer, reference_student(lesson), function, blind, other_requests=others) for others in ((), seen)
    ]
    assert told[0] == changes_said("lengths")
    assert told[1] != changes_said("lengths")


def changes_said(argument):
    """What is said of an argument that makes no difference."""
    request = Request("padding_mask", (torch.tensor([2, 1]), 7))
    function = namespace(LESSONS.of("02-multi-head-attention"))["padding_mask"]
    return next(said for said, _, _ in changes(request, function) if said[0].startswith(argument))


def test_one_number_belongs_to_all_examples():
    vision_right = reference_student(LESSONS.of("12-vision-language"))
    loss = student("def nt_xent(z, temperature=0.5): return (z @ z.T).fill_diagonal_(-1.0).logsumexp(-1).mean()")
    requests = [Request("nt_xent", (_draw(2, 3),)) for _ in range(2)]
    told = probes.probe(loss, vision_right, vision_right.namespace["nt_xent"], requests)
    assert told is None or "mixed" not in told[0]


BLOCKS = LESSONS.of("03-transformer-blocks")


@pytest.mark.parametrize(
    ("edit", "found"),
    [
        (
            ("self.feed_forward(self.norm_2(X)", "self.feed_forward(X.tanh()"),
            "a mistake in what is done with feed_forward",
        ),
        # norm_2 and feed_forward come after it.
        (
            ("self.attention(self.norm_1(X) if", "self.attention(X.tanh() if"),
            None,
        ),
        (("", ""), None),
    ],
)
def test_names_the_part_of_a_block_with_the_mistake(edit, found):
    [case] = [case for case in cases_of(BLOCKS, "EncoderBlock") if case.name == "usual"]
    names, build = namespace(BLOCKS), (6, 2, 5, 0.0, "pre")
    right_one = reference_student(BLOCKS)
    requests = []
    for x in (_draw(2, 4, 6), _draw(1, 3, 6)):
        weights = {
            key: _draw(*value.shape) for key, value in right_one.namespace["EncoderBlock"](*build).named_parameters()
        }
        requests.append(Request("EncoderBlock", (x,), build=build, weights=weights))
    exec(case.text.replace(*edit), names)
    told = faulty_module(NotebookStudent(names, BLOCKS, deep=False), right_one, requests)
    assert (told and told[0]) == found


@pytest.mark.parametrize(
    ("weights", "found"),
    [
        ("torch.softmax(E.masked_fill(HIDDEN, -torch.inf), dim=-1)", None),
        ("torch.softmax(E, dim=-1)", "looks ahead"),
        # Later rows, and no earlier ones: not reported.
        (
            "torch.softmax(E.masked_fill(HIDDEN.mT, -torch.inf), dim=-1)",
            None,
        ),
    ],
)
def test_tells_whether_a_row_depends_on_later_rows(weights, found):
    text = MODULE.replace("SelfAttention", "CausalSelfAttention").format(keys="self.W_K(X)", values="self.W_V(X)")
    text = text.replace("torch.softmax(", "E = (").replace(", dim=-1)\n", f")\n        A = {weights}\n")
    answer = student(f"HIDDEN = torch.ones(4, 4).triu(1).bool()\n{text}")
    requests = [
        Request("CausalSelfAttention", (x,), build=(5, 3, 3), weights=maps) for x, maps in zip(X, MAPS, strict=True)
    ]
    told = probes.probe(answer, RIGHT, RIGHT.namespace[requests[0].name], requests)
    assert (told and told[0]) == found


def test_says_of_which_argument_the_later_rows_are_hidden():
    answer = _attention(SCORES + "    E = E + torch.full_like(E, -torch.inf).triu(1)\n" + SOFTMAX)
    told = probes.probe(answer, RIGHT, RIGHT.namespace[ATTENTION], [Request(ATTENTION, args) for args in QKV])
    assert told[1].startswith("If only the last row of `K` changes")


def test_each_change_alters_one_thing():
    request = Request("SelfAttention", (X[0],), build=(5, 3, 3), weights=MAPS[0])
    for _, _, other in changes(request, RIGHT.namespace["SelfAttention"]):
        same = [
            torch.equal(other.args[0], X[0]),
            *(torch.equal(other.weights[name], MAPS[0][name]) for name in MAPS[0]),
            other.build == request.build,
        ]
        assert same.count(False) == 1


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.nightly(reason="compares each reference with itself: one lesson after another, a minute")
def test_the_references_show_nothing(assignment):
    """Compared with itself, no answer ignores or mixes anything."""
    lesson = LESSONS.of(assignment)
    own = NotebookStudent(namespace(lesson), lesson, deep=False)
    for exercise in lesson.exercises:
        checks = list(lesson.checks(exercise).values())[:3]
        if not exercise.startswith("my_"):
            requests = Recording(reference_student(lesson), 3).shape_variants(checks, exercise)
            assert probes.probe(own, reference_student(lesson), own.namespace[exercise], requests) is None
