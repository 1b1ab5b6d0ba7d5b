"""The library of the notebooks: `from course_lib import devices, plots`.

`import course_lib` loads nothing: torch and matplotlib come with the parts that need them. The notebooks import it before torch,
because it makes torch's threads sleep while they wait for each other. By default they spin, which is a little faster on an idle
machine and up to a hundred times slower on a busy one, where the awaited thread gets no core.
"""

import os

__version__ = "0.1.0"

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read once, when torch is loaded
