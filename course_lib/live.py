"""Tell an open notebook from a program that runs unattended, and Colab from other places."""

import os
import sys


def in_live_notebook() -> bool:
    """Return whether this is a Jupyter kernel with a client, which can replace an output that it has shown."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return getattr(getattr(shell, "kernel", None), "session", None) is not None


def in_colab() -> bool:
    """Return whether this Python runs in Google Colab."""
    return "google.colab" in sys.modules or "COLAB_RELEASE_TAG" in os.environ
