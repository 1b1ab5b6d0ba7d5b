"""From a hand-in to a grade, by one way.

``folder`` reads what lies in a submission's folder, ``match`` finds the released cells in it, and both make a
:class:`~autograder.grading.submission.Submission`. :func:`~autograder.grading.grade.grade` makes a
:class:`~autograder.grading.result.Result` of it. All else carries these two: ``helpers`` to processes of their own, ``cluster``
to other machines, ``store`` to the disk, ``converter`` into nbgrader's gradebook.
"""
