"""The part of the sandbox that runs beside the student's code. It knows no check and no answer."""
