"""Gradescope's autograder: the zip that a teacher uploads, and the program that runs in its container."""
