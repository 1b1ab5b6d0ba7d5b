"""A teacher's tools: explain or repeat one result, report on a class, compare answers."""
