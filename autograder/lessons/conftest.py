"""Makes ``pytest autograder/lessons/LESSON/checks --submission NOTEBOOK`` work."""

from autograder.judging.pytest_plugin import draw, seed, sizes, student, surroundings, variant
from autograder.judging.submission_plugin import (
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_report_header,
    pytest_runtest_makereport,
)

__all__ = [
    "draw",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_report_header",
    "pytest_runtest_makereport",
    "seed",
    "sizes",
    "student",
    "surroundings",
    "variant",
]
