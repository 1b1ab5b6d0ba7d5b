"""A small edit of a right answer is found where it gives a student's numbers, and nothing dangerous is edited."""

import ast
import itertools

import pytest
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import cases_of
from autograder.content.references import namespace
from autograder.diagnosis import mutations
from autograder.diagnosis.edits import edits
from autograder.diagnosis.mutations import mutants
from autograder.verdict.runner import run_checks

FUNCTION = '''
def attend(self, Q, K, V, dim=-1):
    """Return Y."""
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"{Q.shape} {K.shape}")
    E = Q @ K.mT / Q.shape[-1] ** 0.5
    A = torch.softmax(E, dim=dim)
    return self.norm_1(A @ V + Q)
'''


def _edited(kind):
    return [ast.unparse(edit.new) for _, edit in edits([ast.parse(FUNCTION)]) if edit.kind == kind]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("a step left out", "E"),
        ("a term left out", "A @ V"),
        ("a division left out", "Q @ K.mT"),
        ("an argument not passed on", "torch.softmax(E)"),
        ("another variable", "K"),
        ("sides exchanged", "V @ A"),
        ("a square too many", "self.norm_1(A @ V + Q) * self.norm_1(A @ V + Q)"),
        ("log_softmax in the place of softmax", "torch.log_softmax(E, dim=dim)"),
        ("a step taken twice", "self.norm_1(self.norm_1(A @ V + Q))"),
        ("a term added twice", "A @ V + Q + A @ V"),
        ("two steps in the other order", "A = torch.softmax(E, dim=dim)\nE = Q @ K.mT / Q.shape[-1] ** 0.5"),
        (
            "one average for the whole batch",
            "torch.softmax(E, dim=dim).mean(0, keepdim=True).expand_as(torch.softmax(E, dim=dim))",
        ),
    ],
)
def test_an_edit_of_each_kind_is_made(kind, code):
    assert code in _edited(kind)


def test_a_count_may_be_one_too_many_or_one_too_few():
    tree = ast.parse("def first(x, n):\n    return [x[i : i + 2 * n] for i in range(n)]")
    found = [ast.unparse(edit.new) for _, edit in edits([tree]) if edit.kind in ("one too many", "one too few")]
    assert found.count("n + 1") == found.count("n - 1") == 2
    assert "i - 1" in found


def test_gelu_may_be_approximated():
    tree = ast.parse("def bend(x):\n    return F.gelu(x) + F.gelu(x, approximate='none')")
    found = [ast.unparse(edit.new) for _, edit in edits([tree]) if edit.kind == "the tanh approximation of GELU"]
    assert found == ["F.gelu(x, approximate='tanh')"]


@pytest.mark.parametrize(
    ("code", "bare"),
    [
        ("beta * (chosen - rejected)", "beta * chosen - rejected"),
        ("(E - m) / scale", "E - m / scale"),
        ("total - (first + last)", "total - first + last"),
        ("(N + block - 1) // block", "N + block - 1 // block"),
        ("-(a - b)", "-a - b"),
        ("seen & (near | sink)", "seen & near | sink"),
        ("_right * (_left - c)", "_right * _left - c"),
        ("(a if far else b) * c", "a if far else b * c"),
    ],
)
def test_parentheses_may_be_left_out(code, bare):
    found = [edit.new for _, edit in edits([ast.parse(f"x = {code}")]) if edit.kind == "parentheses left out"]
    assert ast.dump(ast.parse(bare, mode="eval").body) in map(ast.dump, found)


@pytest.mark.parametrize("code", ["a * b + c", "(a + b) + c", "a + (b * c)", "-a", "~(mask)", "f(a + b)"])
def test_parentheses_that_change_nothing_are_not_left_out(code):
    assert not [edit for _, edit in edits([ast.parse(f"x = {code}")]) if edit.kind == "parentheses left out"]


def test_either_argument_of_a_minimum_may_be_left():
    tree = ast.parse("def seen(N, end):\n    return min(N, end)")
    found = [ast.unparse(edit.new) for _, edit in edits([tree]) if edit.kind == "a step left out"]
    assert found == ["N", "end"]


def test_an_id_is_no_count():
    tree = ast.parse("def real(ids, pad):\n    return ids != pad")
    found = {edit.kind: ast.unparse(edit.new) for _, edit in edits([tree])}
    assert found["nothing left out"] == "ids == ids"
    assert not {"one too many", "one too few"} & set(found)


def test_two_steps_in_the_other_order_are_written_on_one_line():
    lesson = LESSONS.of("05-translation")
    found = [case for case in mutants(lesson, "AttentionDecoder") if case.title == "two steps in the other order"]
    assert found
    for case in found:
        ast.parse(case.text)


@pytest.mark.parametrize("line", ["lists[0].append(part)", "lists.insert(0, [part])", "lists[0] = [part]"])
def test_no_list_is_put_into_itself(line):
    """PyTorch follows such a list until the process ends, and with it a student's kernel."""
    tree = ast.parse(f"def laid_out(parts):\n    lists = [[]]\n    part = parts[0]\n    {line}\n    return lists")
    made = [
        ast.unparse(edit.old) for _, edit in edits([tree]) if edit.kind == "another variable" and edit.new.id == "lists"
    ]
    assert "part" not in made


def test_argument_validation_is_not_edited():
    said = [ast.unparse(edit.old) for _, edit in edits([ast.parse(FUNCTION)])]
    assert not [code for code in said if "ValueError" in code or "!=" in code]


@pytest.mark.parametrize("assignment", ["01-attention", "03-transformer-blocks", "09-mlm-pretraining"])
def test_edited_answers_are_python_and_differ_from_what_is_known_to_be_right(assignment):
    lesson = LESSONS.of(assignment)
    for exercise in lesson.exercises[:3]:
        right = {case.text for case in cases_of(lesson, exercise) if case.right}
        found = list(mutants(lesson, exercise))
        assert len(found) > 20, exercise
        for case in found:
            ast.parse(case.text)
            assert case.text not in right
            assert "dots_in" not in "".join(case.explain(list))


class Attached:
    """What another library has attached to a node. It must not be copied: it may hold a whole tree."""

    def __deepcopy__(self, memo):
        raise AssertionError


def test_explaining_an_edit_copies_nothing_that_other_libraries_attach_to_nodes():
    """IPython's tracebacks attach each node's parent, also to the one Load() of all trees: copies took a minute."""
    shared = ast.parse("x").body[0].value.ctx
    shared.parent = Attached()
    try:
        explained = [case.explain(list) for case in itertools.islice(mutants(LESSONS.of("01-attention"), "attend"), 40)]
    finally:
        del shared.parent
    assert len(explained) == 40


def test_an_answer_with_a_while_loop_is_not_edited():
    """Without its step such a loop does not end."""
    lesson = LESSONS.of("07-language-models")
    loops = [case for case in cases_of(lesson, "train_bpe") if case.right and "while " in case.text]
    assert loops
    starts = {case.text.splitlines()[0] for case in loops}
    others = {case.text.splitlines()[0] for case in cases_of(lesson, "train_bpe") if case.right} - starts
    assert {case.text.splitlines()[0] for case in mutants(lesson, "train_bpe")} <= others


def test_an_answer_that_could_take_all_memory_is_not_edited():
    """Off the meta device, a count of GPT-2's parameters would build GPT-2."""
    lesson = LESSONS.of("04-transformer")
    assert [case for case in cases_of(lesson, "parameter_count") if case.right and "meta" in case.text]
    assert not [case for case in mutants(lesson, "parameter_count") if "Linear" in case.text]


def test_no_edit_puts_a_list_into_itself():
    """Given such a list, torch.tensor calls itself until the process ends."""
    lesson = LESSONS.of("13-retrieval")
    assert [case for case in cases_of(lesson, "inverted_lists") if case.right and ".append(document)" in case.text]
    added = [case.text for case in mutants(lesson, "inverted_lists") if ".append(" in case.text]
    assert added
    assert not [text for text in added if ".append((lists))" in text or ".append((starts))" in text]


WRONG = {
    # Two steps changed in the lines of nobody here, which no known answer has.
    "tanh of the similarities": (
        "01-attention",
        "attend",
        "def attend(q, X):\n    e = torch.tanh(X @ q)\n"
        "    a = torch.exp(e - e.max())\n    a = a / a.sum()\n    return a @ X, a\n",
        "tanh",
    ),
    "a normalisation before the output": (
        "10-fine-tuning",
        "TokenTagger",
        "class TokenTagger(nn.Module):\n"
        "    def __init__(self, model_width, tags, dropout=0.1):\n"
        "        super().__init__()\n"
        "        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(model_width, tags)\n"
        "    def forward(self, Y):\n"
        "        Y = (Y - Y.mean(-1, keepdim=True)) / (Y.var(-1, keepdim=True, unbiased=False) + 1e-5).sqrt()\n"
        "        return self.output(self.dropout(Y))\n",
        "a normalisation of each row",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_explains_an_unknown_mistake_by_an_edit(name):
    assignment, exercise, text, step = WRONG[name]
    lesson = LESSONS.of(assignment)
    names = namespace(lesson)
    exec(compile(text, name, "exec"), names)
    report = run_checks(exercise, NotebookStudent(names, lesson, deep=False), 11)
    assert [said for said in report.named if said.startswith(f"{step} too many")]


def test_explains_a_mistake_in_a_function_of_numbers_by_an_edit():
    """No tensor is passed to it, and yet it is no trained model."""
    lesson = LESSONS.of("16-attention-kernels")
    [text] = [case.text for case in cases_of(lesson, "attention_bill") if case.right and "min(N_K, " in case.text][:1]
    names = namespace(lesson)
    exec(compile(_second_argument_of_min(text), "attention_bill", "exec"), names)
    report = run_checks("attention_bill", NotebookStudent(names, lesson, deep=False), 11)
    assert [said for said in report.named if said.startswith("a step left out: min(N_K, ")]


def _second_argument_of_min(text):
    class Change(ast.NodeTransformer):
        def visit_Call(self, node):
            if ast.unparse(node).startswith("min(N_K, "):
                return node.args[1]
            return self.generic_visit(node)

    return ast.unparse(Change().visit(ast.parse(text)))


def _nothing(names):
    return ()


def _of_kind(assignment, exercise, *kinds):
    return [case for case in mutants(LESSONS.of(assignment), exercise) if case.edit and case.edit.kind in kinds]


def test_names_an_edited_number_only_if_the_code_has_it_or_its_call():
    found = _of_kind(
        "08-in-context-learning", "predict_by_counts", "another axis or number", "another place", "another number"
    )
    assert found
    assert not [case for case in found if case.findable(_nothing)]
    assert all(case.findable(list) for case in found)
    for case in found:
        new = ast.unparse(case.edit.new)
        assert f"{new} instead of" not in case.explain(lambda names, new=new: [n for n in names if n != new])[1]


def test_an_edit_of_a_call_is_not_told_to_whoever_does_not_write_the_call():
    """A 0 or a 1 is in nearly any code, and says nothing about an axis of a sum."""
    axes = _of_kind("15-modern-attention", "within_capacity", "another axis or number")
    sums = [case for case in axes if ast.unparse(case.edit.excerpt).endswith(".sum(dim=-1)")]
    passed_on = _of_kind("13-retrieval", "probe_search", "an argument not passed on")
    pads = [case for case in passed_on if ast.unparse(case.edit.excerpt).startswith("F.pad(")]
    assert sums
    assert pads
    for case, call in [*((each, ".sum") for each in sums), *((each, ".pad") for each in pads)]:
        assert not case.findable(lambda names: [name for name in names if name.lstrip("-").isdigit()])
        assert case.findable(lambda names, call=call: [name for name in names if name == call])


def test_a_string_of_one_right_answer_is_not_shown():
    """A student who writes no einsum looks for its letters in vain."""
    trees = [ast.parse(f"def f(x):\n    return g({text!r}, x).half()") for text in ("id,jd->ij", "half", "half")]
    [known] = {mutations._shared_names(trees)}
    assert mutations._excerpt(trees[0].body[0].body[0].value.func.value, known | {"g"}) == "g(…, x)"
    assert mutations._excerpt(trees[1].body[0].body[0].value.func.value, known | {"g"}) == "g('half', x)"


def test_a_function_that_neither_students_nor_this_code_know_is_not_named():
    [case] = [
        each
        for each in _of_kind("11-vit", "shuffle_patches", "a step left out")
        if each.edit.sentence == "empty_like is left out" and "empty_like" not in each.known_names
    ][:1]
    assert "empty_like" not in "".join(case.explain(_nothing))
    assert "empty_like is left out" in case.explain(list)[1]
