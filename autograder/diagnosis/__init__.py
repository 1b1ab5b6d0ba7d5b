"""Explain why an answer is wrong."""
