"""The course's extensions of nbgrader, installed through ``nbgrader_config.py``."""
