"""``--only NAME`` finds what concerns an exercise, a lesson or a module, and says what it expected where there is nothing."""

import re
import subprocess
import sys

import pytest
from only import TESTS, files_for


def collected(root, name):
    """Return the tests that ``--only`` chooses."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--only", name, "tests"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if "::" in line], done.stderr


@pytest.mark.slow
def test_an_exercise_has_its_contract_and_its_references(root):
    tests, _ = collected(root, "causal_mask")
    files = {test.partition("::")[0] for test in tests}
    assert {"tests/lessons/test_contract.py", "tests/lessons/test_references.py"} <= files
    assert any("the_solution_earns_every_point[01-attention-causal_mask-1]" in test for test in tests)
    assert not [test for test in tests if "softmax" in test or "02-multi-head-attention" in test]


@pytest.mark.nightly(reason="collects all tests once more")
@pytest.mark.parametrize("name", ["02-multi-head-attention", "multi_head_attention"])
def test_a_lesson_has_all_its_exercises_and_no_other_lessons(root, name):
    tests, _ = collected(root, name)
    assert any("02-multi-head-attention-padding_mask" in test for test in tests)
    assert not [test for test in tests if "01-attention" in test]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("masks", "unit/course_lib/test_layers_masks_heads.py"),
        ("course_lib/layers/masks.py", "unit/course_lib/test_layers_masks_heads.py"),
        ("autograder.runtime.measure", "unit/runtime/test_measure.py"),
        ("test_training_fit", "unit/course_lib/test_training_fit.py"),
        ("autograder.grading.lms.sheets", "unit/grading/test_exports.py"),
        ("autograder.sandbox.inside.worker", "sandbox/test_sandbox.py"),
        ("unit/repository/test_imports.py", "unit/repository/test_imports.py"),
    ],
)
def test_a_module_has_the_files_that_import_it(name, file):
    found = files_for(name)
    assert TESTS / file in found


def test_every_name_in_the_documents_has_tests(root):
    texts = [(root / name).read_text(encoding="utf8") for name in ("CONTRIBUTING.md", "README.md", "Makefile")]
    named = set(re.findall(r"ONLY=([\w./-]+)", " ".join(texts)))
    assert len(named) > 5
    assert all(map(files_for, named))


def test_unknown_name_is_an_error():
    with pytest.raises(pytest.UsageError, match=r"sofmax.*Expected for example softmax"):
        files_for("sofmax")
