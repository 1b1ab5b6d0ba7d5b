"""Grading that a submission cannot forge: its code runs in a sandbox, and the checks talk to it from outside.

``zygote``, ``worker``, ``shell`` and ``namespaces`` run inside, beside the student's code. ``wire`` is used on both sides. All
the rest runs outside, and takes what comes from inside as bytes from an enemy.
"""
