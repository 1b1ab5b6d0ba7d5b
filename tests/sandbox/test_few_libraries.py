"""In the sandbox, the cells of a notebook may import what is installed, and an exercise only what it may use."""

import importlib.util

import pytest

from autograder.sandbox.outside import mounts
from autograder.sandbox.outside.session import Session

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

LOOK = {
    "imported": "import sklearn",
    "by a name put together": "import importlib; importlib.import_module('sk' + 'learn')",
    "from a path": "import sys; sys.path[:0] = {places!r}; import sklearn",
    "kept in a cell": "kept.base.clone(1)",
    "among the objects": "import gc; next(o for o in gc.get_objects() if getattr(o, '__name__', '') == 'sklearn.base')",
    "as a file": "import glob; open([f for p in {places!r} for f in glob.glob(p + '/sklearn/__init__.py')][0])",
}


@pytest.fixture
def withheld(box):
    opened = Session(box, libraries=())
    yield opened
    opened.close()


def ask(session, text):
    """Run statements in the worker that an exercise is asked in. Returns the error's name and text, or None."""
    with session.forbidding((), ()):
        return session.worker().ask("run", {"text": text})[0]["error"]


def test_a_cell_imports_what_is_installed_and_shows_it(withheld):
    result = withheld.run_cell("import sklearn\nprint(sklearn.__name__)")
    assert result.error is None
    assert result.outputs[0]["text"] == "sklearn\n"


def test_scikit_learn_with_threads_works_in_cells(withheld):
    cell = "import numpy, sklearn.cluster\nprint(len(sklearn.cluster.KMeans(2, n_init=1).fit(numpy.eye(5)).cluster_centers_))"
    assert withheld.run_cell(cell).outputs[0]["text"] == "2\n"


@pytest.mark.parametrize("way", LOOK)
def test_an_exercise_cannot_reach_it(withheld, way):
    import site
    import sys

    places = [*site.getsitepackages(), *sys.path, "/usr/lib/python3/dist-packages"]
    withheld.run_cell("import torch\nimport sklearn as kept")
    assert ask(withheld, "torch.ones(2).sum()") is None
    error = ask(withheld, LOOK[way].format(places=places))
    assert error is not None
    assert error["ename"] in ("ModuleNotFoundError", "CheckFailure", "StopIteration", "IndexError"), error


@pytest.mark.parametrize("name", mounts._FOREIGN)
def test_a_library_that_calls_any_function_of_another_is_not_beside_an_exercise(withheld, name):
    assert importlib.util.find_spec(name) is not None, "it is installed here"
    assert ask(withheld, f"import {name}")["ename"] == "ModuleNotFoundError"


def test_libraries_of_the_course_are_available(withheld):
    text = "import torch, numpy, matplotlib.pyplot, PIL, IPython, course_lib.layers, course_lib.data, sympy, tqdm"
    assert ask(withheld, text) is None


def test_the_digits_are_there_though_their_library_is_not(withheld):
    text = "from course_lib.data import handwritten_digits\nassert len(handwritten_digits('train').images) > 1000"
    assert ask(withheld, text) is None
    assert ask(withheld, "from sklearn.datasets import load_digits")["ename"] == "ModuleNotFoundError"


def test_where_libraries_lie_nothing_can_be_written(withheld):
    text = "import os, torch\nfolder = os.path.dirname(os.path.dirname(torch.__file__))\nopen(folder + '/note', 'w')"
    assert ask(withheld, text)["ename"] in ("OSError", "PermissionError")


def test_a_missing_import_does_not_affect_the_rest_of_its_cell(withheld):
    withheld.run_cell("import sklearn, math\nfrom tokenizers import Tokenizer\n\ndef twice(x):\n    return 2 * x")
    assert ask(withheld, "twice(math.pi)") is None


def test_a_cell_that_only_lacks_the_library_keeps_its_other_statements(withheld):
    """It ran to its end where the library is: what it defines below a line about the library is there for an exercise, too."""
    withheld.run_cell("import sklearn as s")
    withheld.run_cell("s.set_config()\nones = [s.__name__] + [1]\n\ndef twice(x):\n    return 2 * x")
    withheld.run_cell("before = 1\n1 / 0\nafter = 1")
    assert ask(withheld, "assert twice(before) == 2") is None
    assert ask(withheld, "assert ones == ['sklearn', 1]") is None
    assert ask(withheld, "after")["ename"] == "NameError", "where Jupyter stops, it stops"


@pytest.mark.parametrize(
    "cell",
    [
        "import importlib\nprint(importlib.import_module('sk' + 'learn').__name__)",
        "import networkx as nx\nprint(nx.pagerank(nx.path_graph(2))[0])",
        "import helpers\nprint(helpers.NAME)",
    ],
)
def test_unforeseeable_imports_are_available(box, cell):
    files = {
        "helpers/__init__.py": b"from helpers.inner import NAME",
        "helpers/inner.py": b"import scipy\nNAME = scipy.__name__",
    }
    session = Session(box, files=files, libraries=())
    try:
        session.run_cell("before = 1")
        result = session.run_cell(cell)
        assert result.error is None
        assert result.outputs[0]["text"].strip() in ("sklearn", "0.5", "scipy")
        assert ask(session, "before") is None
        assert ask(session, "import sklearn")["ename"] == "ModuleNotFoundError"
    finally:
        session.close()


def test_no_cell_runs_twice_for_its_outputs_when_it_is_known_what_follows(withheld):
    withheld.look_ahead(["x = 1", "import scipy"])
    withheld.run_cell("x = 1")
    withheld.run_cell("import scipy")
    assert len(withheld._workers) == 1


def test_the_worker_of_an_exercise_goes_on_with_later_cells(withheld):
    """It would otherwise begin anew for each exercise, and run all cells again."""
    withheld.run_cell("import sklearn\nran = [1]")
    assert ask(withheld, "assert ran == [1]") is None
    withheld.run_cell("ran.append(2)")
    assert ask(withheld, "assert ran == [1, 2]") is None
    withheld.run_cell("ran.append(3)")
    assert ask(withheld, "assert ran == [1, 2, 3]") is None
    assert len(withheld._workers) == 2


def test_without_other_imports_there_is_one_worker(withheld):
    withheld.run_cell("import torch, math\nx = 1")
    assert ask(withheld, "assert x == 1") is None
    assert len(withheld._workers) == 1


def test_a_later_cell_that_stops_the_exercises_worker_is_left_out(withheld):
    withheld.run_cell("import sklearn\nx = 1")
    assert ask(withheld, "x") is None
    withheld.run_cell("try:\n    sklearn.get_config()\nexcept Exception:\n    import os; os._exit(1)")
    withheld.run_cell("y = 2")
    assert ask(withheld, "assert (x, y) == (1, 2)") is None
    assert withheld.stops == 1


def test_a_cell_that_runs_again_draws_nothing_and_still_runs(withheld):
    cell = "import sklearn\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nafter = 1"
    assert withheld.run_cell(cell).outputs
    with withheld.forbidding((), ()):
        worker = withheld.worker()
        again = worker.ask("run", {"text": "plt.plot([1]); plt.show(); 3", "again": True})[0]
        assert again["outputs"] == []
        assert worker.ask("run", {"text": "after"})[0]["outputs"][0]["data"] == {"text/plain": "1"}
        assert worker.ask("run", {"text": "1 / 0", "again": True})[0]["error"]["ename"] == "ZeroDivisionError"


def test_a_script_that_imports_it_runs_in_cells(box):
    session = Session(box, files={"tools/first.py": b"import sklearn\nNAME = sklearn.__name__"}, libraries=())
    try:
        assert session.run_cell("%run -i tools/first.py\nprint(NAME)").outputs[0]["text"] == "sklearn\n"
    finally:
        session.close()


def test_a_module_beside_the_notebook_that_imports_it_works_in_cells(box):
    session = Session(box, files={"helper.py": b"import sklearn\nNAME = sklearn.__name__"}, libraries=())
    try:
        assert session.run_cell("import helper\nprint(helper.NAME)").outputs[0]["text"] == "sklearn\n"
        assert ask(session, "helper.sklearn.get_config()")["ename"] == "CheckFailure"
    finally:
        session.close()


MADE_WITH_IT = [
    "from sklearn.datasets import load_digits as ready\nSIDE, CLASSES = ready().images.shape[1], len(ready().target_names)",
    "for n in range(3):\n    import sklearn.datasets as data\n    SIDE, CLASSES = data.load_digits().images.shape[1], 10",
    "if True:\n    import sklearn\n    SIDE, CLASSES = 8, 10",
    "try:\n    import sklearn\n    SIDE = 8\nexcept ImportError:\n    raise\nCLASSES = 10",
    "import sklearn.datasets\nSIDE = int(sklearn.datasets.load_digits().data.max() // 2)\nCLASSES = SIDE + 2",
]


@pytest.mark.parametrize("cell", MADE_WITH_IT)
def test_plain_data_that_a_cell_made_with_it_is_there_for_an_exercise(withheld, cell):
    assert withheld.run_cell(cell).error is None
    assert ask(withheld, "assert (SIDE, CLASSES) == (8, 10)") is None
    withheld.run_cell("CLASSES = 11\nonly_later = sklearn.__name__ if 'sklearn' in globals() else ''")
    assert ask(withheld, "assert (SIDE, CLASSES) == (8, 11)") is None


def test_plain_data_comes_as_it_was_and_nothing_else_comes(withheld):
    withheld.run_cell("import torch, numpy, sklearn.base as base, sklearn.preprocessing")
    withheld.run_cell(
        "made = base.__name__ and {'a': [numpy.arange(6).reshape(2, 3), (1, 'x', None)], 'b': torch.eye(2)}\n"
        "scaler = sklearn.preprocessing.StandardScaler()\nreal = numpy.float32(sklearn.__version__[0]) / 3"
    )
    text = (
        "array, rest = made['a']\nassert type(array) is numpy.ndarray and array.dtype == numpy.int64 and array.shape == (2, 3)\n"
        "assert rest == (1, 'x', None) and torch.equal(made['b'], torch.eye(2)) and abs(real - 1 / 3) < 1e-6"
    )
    assert ask(withheld, text) is None
    assert ask(withheld, "scaler")["ename"] == "NameError"


def test_a_helper_module_that_imports_it_for_something_else_works_for_an_exercise(box):
    helper = "from sklearn.decomposition import PCA\ndef twice(x):\n    return 2 * x\ndef reduced(x):\n    return PCA(2).fit(x)"
    session = Session(box, files={"helper.py": helper.encode()}, libraries=())
    try:
        assert session.run_cell("from helper import *").error is None
        assert ask(session, "assert twice(3) == 6") is None
        told = ask(session, "reduced(3)")
        assert told["ename"] == "CheckFailure"
        assert "sklearn.decomposition.PCA is not allowed in this exercise" in told["evalue"]
    finally:
        session.close()


def test_recursive_or_huge_values_are_not_passed_on_and_cost_nothing(withheld):
    withheld.run_cell("import sklearn\nall = [len(sklearn.get_config())]\nall.append(all)")
    withheld.run_cell("many = [len(sklearn.get_config())] * 10**6\nsmall = sklearn.get_config() != {}")
    assert ask(withheld, "assert small is True") is None
    assert ask(withheld, "many")["ename"] == "NameError"
    assert withheld.stops == 0


def test_a_helper_module_works_for_an_exercise_whatever_else_its_cell_does(box):
    session = Session(box, files={"helper.py": b"import sklearn\ndef twice(x):\n    return 2 * x"}, libraries=())
    try:
        session.run_cell("from helper import twice\n1 / 0")
        assert ask(session, "assert twice(3) == 6") is None
    finally:
        session.close()


def test_a_fallback_for_a_missing_import_is_used(withheld):
    withheld.run_cell(
        "import sklearn\ntry:\n    import scipy\n    FOUND = scipy.fft\nexcept ImportError:\n    FOUND = None"
    )
    assert ask(withheld, "assert FOUND is None") is None


HELPER = b"""import torch
import not_installed_anywhere as sns
from other_library.parts import show, njit

sns.set_theme()
PALETTE = sns.color_palette()[:3]

@njit(parallel=True)
def fast(x):
    return x

def twice(x):
    return 2 * x

def drawn(x):
    return sns.heatmap(x)
"""


@pytest.mark.parametrize("libraries", [None, ()])
@pytest.mark.parametrize("file", ["helper.py", "helper/__init__.py", "helper/inner.py"])
def test_a_library_that_is_not_installed_does_not_take_the_module_that_imports_it(box, file, libraries):
    """A cell keeps its other statements, so that a module beside the notebook does, too."""
    files = {file: HELPER} | ({"helper/__init__.py": b"from .inner import *"} if "inner" in file else {})
    session = Session(box, files=files, libraries=libraries)
    try:
        result = session.run_cell("from helper import *\nfrom helper import twice\n\ndef f(x):\n    return twice(x)")
        assert result.error[:2] == ("ModuleNotFoundError", "No module named 'not_installed_anywhere'")
        with session.forbidding((), libraries):
            assert session.worker().ask("run", {"text": "assert f(1) == 2"})[0]["error"] is None
            for use in ("drawn(1)", "fast(1)", "list(PALETTE)", "import not_installed_anywhere"):
                error = session.worker().ask("run", {"text": use})[0]["error"]
                assert error["ename"] in ("CheckFailure", "ModuleNotFoundError"), error
    finally:
        session.close()


def test_what_stands_for_a_library_gives_way_to_the_data_that_was_made_with_it(box):
    helper = b"import sklearn.datasets\nLABELS = sklearn.datasets.load_digits().target[:3]\nSIZE = len(LABELS)"
    session = Session(box, files={"helper.py": helper}, libraries=())
    try:
        session.run_cell("from helper import LABELS, SIZE")
        with session.forbidding((), ()):
            assert (
                session.worker().ask("run", {"text": "assert SIZE == 3 and [*LABELS] == [0, 1, 2]"})[0]["error"] is None
            )
    finally:
        session.close()
