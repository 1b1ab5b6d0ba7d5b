"""Code that runs beside a student's code. The whole folder is mounted in the sandbox, so it imports nothing above it."""
