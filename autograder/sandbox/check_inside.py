"""Inside: stands in for ``autograder.notebook``. Nothing is checked here; the checks run outside and ask for results."""


def check(exercise: str, seed: int | None = None) -> float:
    """Say that the check runs elsewhere. The value plays no part in the grade."""
    print(f"{exercise} is checked by the grader, outside this notebook.")
    return 0.0
