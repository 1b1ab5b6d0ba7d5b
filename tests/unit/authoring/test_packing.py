"""The step of setuptools that packs known answers works where pip runs it: with nothing but setuptools on its path."""

import subprocess
import sys

from autograder.authoring.packing import split_packed
from autograder.content import packed

ISOLATED = """
import importlib.util, sys
root, path = sys.argv[1:]
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
sys.path = [place for place in sys.path if place not in ("", root)]
assert importlib.util.find_spec("autograder") is None
spec = importlib.util.spec_from_file_location("packing", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.BuildPacked.__name__)
"""


def test_it_is_found_in_a_build_without_the_package(root, tmp_path):
    path = root / "autograder" / "authoring" / "packing.py"
    command = [sys.executable, "-c", ISOLATED, root, path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "BuildPacked", done.stderr


def test_answers_and_references_are_split_from_the_rest():
    files = {
        "autograder/lessons/one/references.py": b"r = 1",
        "autograder/lessons/one/answers/f.diff": b"@@ a @@",
        "autograder/lessons/one/checks/check_f.py": b"c",
        "autograder/content/references.py": b"engine",
    }
    kept, packs = split_packed(files, lambda data: data.decode())
    assert kept.keys() == {"autograder/lessons/one/checks/check_f.py", "autograder/content/references.py"}
    [(path, data)] = packs.items()
    assert path == "autograder/lessons/one/answers.pack"
    assert packed.unpack(data) == {"answers/f.diff": "@@ a @@", "references.py": "r = 1"}
