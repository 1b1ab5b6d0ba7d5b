"""The part of the sandbox that runs with the student's code. It contains no checks and no answers."""
