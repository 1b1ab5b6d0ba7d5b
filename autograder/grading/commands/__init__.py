"""A teacher's commands for a class, as parts of the command ``autograder``. Each imports what it needs when it runs."""
