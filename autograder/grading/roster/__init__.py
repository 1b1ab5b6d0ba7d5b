"""The roster: students, their names on platforms, due dates and extensions."""
