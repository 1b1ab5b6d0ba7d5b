"""The command ``autograder``."""
