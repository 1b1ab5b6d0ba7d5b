"""Run the checks of an exercise on an answer, and report the result."""
