"""A symbol whose backslash was lost or doubled is not shown: the build refuses it."""

import nbformat
import pytest

from autograder.authoring.source_rules import Source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The usual $\x0barepsilon$.", r"'\x0barepsilon'"),
        ("Keep $\\\\beta$ large.", r"'\\\\beta'"),
        ("Keep $\\beta$ large:\n\n$$\\begin{pmatrix} a \\\\ b \\end{pmatrix}$$", None),
    ],
)
def test_the_build_refuses_a_broken_symbol(tmp_path, text, found):
    problems = [*Source(tmp_path, [nbformat.v4.new_markdown_cell(text)], None).problems()]
    assert len(problems) == (found is not None)
    assert not problems or f"it holds {found};" in problems[0]
