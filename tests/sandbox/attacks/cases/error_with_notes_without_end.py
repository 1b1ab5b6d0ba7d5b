"""The error has a hundred million characters of notes, comes from itself, and is a group of groups."""

# replaces: softmax
class Endless(ValueError):
    pass


def softmax(E, dim=-1):
    error = Endless("x" * 10**7)
    for _ in range(10):
        error.add_note("n" * 10**7)
    group = ExceptionGroup("g", [error])
    for _ in range(500):
        group = ExceptionGroup("g", [group, error])
    try:
        raise group from error
    except ExceptionGroup as raised:
        error.__cause__ = raised
        raise error
