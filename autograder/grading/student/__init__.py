"""A student's commands: check a notebook, hand it in, open a working copy."""
