"""A teacher's tools: explain and repeat one result, report on a class, compare answers."""
