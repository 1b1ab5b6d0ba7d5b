"""What grades the course. In a notebook: ``from autograder import check``, then ``check("softmax")``."""

from typing import Any

__version__ = "0.1.0"
__all__ = ["check"]


def __getattr__(name: str) -> Any:
    """Load ``check`` when it is first asked for, so that importing the package stays cheap."""
    if name == "check":
        from autograder.judging.in_notebook import check

        return check
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
