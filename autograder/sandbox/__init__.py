"""Grading that a submission cannot forge: its code runs in a sandbox, and the checks query it from outside.

``zygote``, ``worker``, ``shell`` and ``namespaces`` run inside, with the student's code. Both sides use ``protocol``. Everything
in ``outside`` treats all data from inside as untrusted bytes.
"""
