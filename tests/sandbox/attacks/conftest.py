"""The cases are hostile submissions, some of them named like tests. They run in the sandbox and nowhere else."""

collect_ignore = ["cases"]
