"""What this course adds to nbgrader, by way of ``nbgrader_config.py``."""
