"""The repository root is the nbgrader course root. The settings are in autograder/nbgrader_plugins/config.py."""

from pathlib import Path

from autograder.nbgrader_plugins.config import configure

configure(get_config(), Path(__file__).resolve().parent, course_id="attention")  # nbgrader provides get_config
