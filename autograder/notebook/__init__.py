"""The student's view in Jupyter: check, progress, practice and hand_in."""
