"""What the notebooks import: `from course_lib import devices, plots`.

Nothing is loaded here, so that `import course_lib` costs nothing; torch and matplotlib come with the parts that need them. The
notebooks import it before torch, because of the one thing that it does: it asks torch's threads to sleep while they wait for each
other. By default they spin, which is a little faster on an idle machine and up to a hundred times slower on a busy one, where the
thread that is waited for gets no core.
"""

import os

__version__ = "0.1.0"

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read once, when torch is loaded
