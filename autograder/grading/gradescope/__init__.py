"""Gradescope's autograder: the zip that a teacher uploads, and what runs in its container."""
