"""01-averages."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = ("standardise", "moving_average", "echo")

#: Ready-made functions that do what an exercise asks for.
FORBIDDEN = ("torch.nn.functional.avg_pool1d",)

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones.
BUILDS_ON = {"moving_average": ("standardise",)}

#: Exercises whose numbers are each student's own.
VARIANTS = ("echo",)

check = check_of(__name__)
