"""Old names of modules that other courses import. They work in this version, and warn with the new name."""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "answers": "content.known_answers",
    "arguments": "runtime.student",
    "failure": "runtime.errors",
    "figure": "checks.timing",
    "files": "runtime.files",
    "in_notebook": "notebook.api",
    "kernel_start": "notebook.kernel",
    "lesson": "content.lesson",
    "local": "checks.execute",
    "marks": "content.lesson",
    "measure": "runtime.measure",
    "notebooks": "content.notebook",
    "picture": "checks.matrix_view",
    "references": "content.references",
    "report": "verdict.report",
    "runner": "verdict.runner",
    "seeds": "runtime.seeds",
    "student": "runtime.student",
    "submission_plugin": "verdict.pytest_plugin",
    "symptoms": "diagnosis.symptoms",
    "tensors": "runtime.state",
    "tools.afresh": "checks.properties",
    "tools.checkpoint": "checks.weights",
    "tools.devices": "checks.properties",
    "tools.differences": "checks.expect",
    "tools.draw": "checks.inputs",
    "tools.dropping": "checks.dropout",
    "tools.expect": "checks.expect",
    "tools.experiment": "checks.weights",
    "tools.losses": "checks.losses",
    "tools.measured_result": "checks.timing",
    "tools.modes": "checks.modules",
    "tools.number": "checks.expect",
    "tools.own_model": "checks.modules",
    "tools.parameters": "checks.parameters",
    "tools.plain": "checks.inputs",
    "tools.pupil": "checks.properties",
    "tools.repetition": "checks.properties",
    "tools.results": "checks.properties",
    "tools.speed": "checks.timing",
    "tools.spread": "checks.dropout",
    "tools.statistics": "checks.dropout",
    "tools.steps": "checks.timing",
    "tools.twins": "checks.modules",
    "tools.wording": "checks.expect",
    "variant": "content.lesson",
    "tools": "checks",
}

#: Names within them that have changed.
RENAMED = {
    "Answer": "Response",
    "Figure": "BenchmarkResult",
    "LocalStudent": "NotebookStudent",
    "Made": "Constructed",
    "Seeded": "SeededGenerator",
    "Target": "SpeedTarget",
    "Twins": "ModulePair",
    "alone": "single_input",
    "close": "allclose",
    "computes_afresh": "is_stateless",
    "count_dropped_rows": "independent_elements",
    "credible": "within_error_rate",
    "divisors": "possible_heads",
    "drawn": "sample",
    "every": "all_of",
    "explained_if_random": "explain_randomness",
    "first_result": "first_of",
    "ids": "token_ids",
    "in_parts": "in_batches",
    "leaves_no_trace": "no_side_effects",
    "nothing_returned": "no_return",
    "one_by_one": "independent_elements",
    "one_number": "scalar",
    "part": "component",
    "race": "compare_time",
    "refuses": "raises_value_error",
    "settled": "resolve",
    "shown": "format_plain",
    "spreads_as": "same_dropout_distribution",
    "two": "pair",
    "varies": "is_random",
    "whole": "is_integral",
    "work": "count_operations",
}


class _Moved(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        prefix, _, old = name.partition("judging.")
        known = prefix == "autograder." and old in MOVED
        return ModuleSpec(name, self, is_package=old == "tools") if known else None

    def exec_module(self, module: ModuleType) -> None:
        """Give the old module the attributes of the new one, under their old and new names."""
        old = module.__name__.partition("judging.")[2]
        if old == "tools":  # a package, whose modules are looked for one by one
            return
        new = importlib.import_module(f"autograder.{MOVED[old]}")
        warnings.warn(f"autograder.judging.{old} is now {new.__name__}.", DeprecationWarning, stacklevel=2)
        # A module may have a function of this name (PEP 562), which mypy takes for the method of its class.
        module.__getattr__ = lambda name: getattr(new, name if hasattr(new, name) else RENAMED.get(name, name))  # type: ignore[method-assign]


sys.meta_path.append(_Moved())
