"""Grades in the formats of other systems. What is open, missing or excused is never written as 0."""
