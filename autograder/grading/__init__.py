"""The single path from a hand-in to a grade.

``submission.read`` reads the files in a submission's folder, ``submission.match`` finds the released cells in it, and both
build a :class:`~autograder.grading.submission.model.Submission`. :func:`~autograder.grading.run.grade.grade` turns it into a
:class:`~autograder.grading.run.result.Result`. The other modules transport these two: to other processes and machines, to the
disk, into nbgrader's gradebook.
"""
