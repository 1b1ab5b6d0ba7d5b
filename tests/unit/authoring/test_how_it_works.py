"""The page "How it works": its lists are what the code does, and its pictures are drawn from them."""

import ast
import importlib.util

import pytest


@pytest.fixture(scope="module")
def page(root):
    spec = importlib.util.spec_from_file_location("how_it_works", root / "docs" / "how_it_works.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def imported(root, module):
    """Return what a module imports, in the page's way to write it."""
    tree = ast.parse((root / "autograder" / f"{module}.py").read_text(encoding="utf8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    names = {node.module for node in found} | {f"{node.module}.{alias.name}" for node in found for alias in node.names}
    return {name.removeprefix("autograder.").replace(".", "/") for name in names if name != "-"}


def test_each_line_is_an_import_or_leads_into_another_process(page, root):
    diagrams = list(page.diagrams())
    assert len(diagrams) == 2
    for diagram in diagrams:
        lane = {name: lane for lane, names in diagram.lanes.items() for name in names if name != "-"}
        assert all((root / "autograder" / f"{name}.py").is_file() for name in lane)
        for caller, callee, _, between in diagram.arrows:
            assert (callee in imported(root, caller)) != between, (caller, callee)
            assert lane[caller] != lane[callee] or not between


def test_a_malformed_line_is_an_error(page, tmp_path):
    path = tmp_path / "page.md"
    path.write_text("![A](a.svg)\n\n```text\none to two\n```\n", encoding="utf8")
    with pytest.raises(ValueError, match="Expected a lane or an arrow: 'one to two'"):
        list(page.diagrams(path))


def test_the_pictures_show_the_lists(page, root, tmp_path, monkeypatch):
    """Drawn again they are the committed ones, but for how a version of Matplotlib writes numbers."""
    (tmp_path / page.PAGE.name).write_bytes(page.PAGE.read_bytes())
    monkeypatch.setattr(page, "PAGE", tmp_path / page.PAGE.name)
    page.main()
    for diagram in page.diagrams():
        drawn, kept = ((folder / diagram.picture).read_text(encoding="utf8") for folder in (tmp_path, root / "docs"))
        assert drawn.count("<g id=") == kept.count("<g id="), diagram.picture
        assert [line for line in drawn.splitlines() if "<!--" in line] == [
            line for line in kept.splitlines() if "<!--" in line
        ]
