"""Makes ``pytest autograder/lessons/LESSON/checks --submission NOTEBOOK`` work."""

from autograder.verdict.pytest_plugin import (
    draw,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_pyfunc_call,
    pytest_report_header,
    pytest_runtest_makereport,
    seed,
    sizes,
    student,
    variant,
)

__all__ = [
    "draw",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_pyfunc_call",
    "pytest_report_header",
    "pytest_runtest_makereport",
    "seed",
    "sizes",
    "student",
    "variant",
]
