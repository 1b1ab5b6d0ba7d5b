"""Makes ``pytest autograder/checks --submission NOTEBOOK`` work."""

from autograder.pytest_plugin import (  # noqa: F401 pytest finds them here
    draw,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_report_header,
    pytest_runtest_makereport,
    seed,
    sizes,
    student,
    surroundings,
)
