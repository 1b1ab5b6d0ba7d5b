"""Judging one exercise: what a check asks, what the student answers, and what the answer is worth."""
