"""The single path from a hand-in to a grade.

``folder`` reads the files in a submission's folder, ``match`` finds the released cells in it, and both build a
:class:`~autograder.grading.submission.Submission`. :func:`~autograder.grading.grade.grade` turns it into a
:class:`~autograder.grading.result.Result`. The other modules transport these two: ``helpers`` to separate processes, ``cluster``
to other machines, ``store`` to the disk, ``converter`` into nbgrader's gradebook.
"""
