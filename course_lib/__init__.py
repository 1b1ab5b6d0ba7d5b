"""What the notebooks import: `from course_lib import devices, plots`.

This file imports nothing, so that `import course_lib` costs nothing; torch and matplotlib come with the parts that
need them.
"""

__version__ = "0.1.0"
