"""``python -m autograder`` is the command ``autograder``."""

import sys

from autograder.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
