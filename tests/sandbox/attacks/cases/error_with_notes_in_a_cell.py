"""A cell of the student's own raises an error that comes from a group of groups, with much to say."""

# replaces: softmax
error = ValueError("x" * 10**6)
for number in range(1000):
    error.add_note(f"{number} " * 1000)
group = ExceptionGroup("g", [error])
for _ in range(200):
    group = ExceptionGroup("g", [group, error])
error.__context__ = group
raise error
