"""Libraries that an exercise may use: PyTorch and what the course itself is written with. Others hold ready-made answers.

A list of what is forbidden in scikit-learn or SciPy is never complete: they hold a softmax in some twenty places, most of them
private. So an exercise sees only what stands in :data:`ROOTS`, with all that these need, and what its lesson adds for it. Cells
outside an exercise may import anything that is installed.
"""

import functools
import sys
from collections.abc import Mapping
from importlib import metadata, util
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

#: Distributions that every exercise may use, if they are installed. Nothing in them is an answer but what PyTorch has, which each
#: lesson forbids by operator.
ROOTS = (
    *("torch", "numpy", "matplotlib", "pillow", "safetensors", "jaxtyping", "beartype", "typeguard"),
    *("einops", "opt-einsum", "tqdm", "pandas", "seaborn", "plotly", "tabulate", "regex", "more-itertools"),
    *("ipython", "ipykernel", "ipywidgets", "anywidget", "joblib", "packaging", "pytest", "rich", "threadpoolctl"),
)

#: Modules that are never asked about.
KNOWN = frozenset(sys.stdlib_module_names) | {*ROOTS, "__main__", "autograder", "course_lib", "IPython", "PIL"}

#: The folders in which Python keeps libraries.
STORES = ("site-packages", "dist-packages")


@functools.cache
def allowed(more: tuple[str, ...] = ()) -> Mapping[str, metadata.Distribution]:
    """Return the distributions that an exercise may use, by canonical name: the ROOTS, ``more``, and what all these need."""
    waiting, missing = [str(canonicalize_name(name)) for name in (*ROOTS, *more)], set[str]()
    found: dict[str, metadata.Distribution] = {}
    while waiting:
        name = waiting.pop()
        if name in found or name in missing:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            missing.add(name)
            continue
        needs = map(Requirement, found[name].requires or ())
        waiting += [
            str(canonicalize_name(each.name))
            for each in needs
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return found


def tops(distribution: metadata.Distribution) -> set[str]:
    """Return the names of the files and folders that a distribution has put beside other libraries."""
    found = {file.parts[0] for file in distribution.files or ()}
    if not found:  # a system's package manager keeps no list with the package
        modules = (distribution.read_text("top_level.txt") or distribution.name).split()
        found = {top for module in modules for top in (module, f"{module}.py")}
    return found - {"..", "__pycache__"}


@functools.cache
def _modules(libraries: tuple[str, ...]) -> frozenset[str]:
    """Return the modules and packages of the top level that an exercise may import."""
    return frozenset(top.partition(".")[0] for each in allowed(libraries).values() for top in tops(each))


@functools.cache
def is_withheld(module: str, libraries: tuple[str, ...] | None) -> bool:
    """Return whether an exercise that may use ``libraries``, or everything if that is None, cannot import this module.

    A module that lies elsewhere than Python's libraries is the student's own.
    """
    root = module.partition(".")[0]
    return libraries is not None and root not in KNOWN and _is_library(root) and root not in _modules(libraries)


def _is_library(root: str) -> bool:
    try:
        found = util.find_spec(root)
    except (ImportError, ValueError):  # a module that is broken, or was made by hand
        return False
    places = [found.origin or "", *(found.submodule_search_locations or ())] if found else []
    return any(part in STORES for place in places for part in Path(place).parts)
