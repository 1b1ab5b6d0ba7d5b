"""The autograder of the course. In a notebook: ``from autograder import check, hand_in, progress``, then ``check("softmax")``."""

from typing import Any

__version__ = "0.1.0"
__all__ = ["check", "hand_in", "model_answer", "practice", "progress"]


def __getattr__(name: str) -> Any:
    """Load an attribute on first use, so that importing the package stays cheap."""
    if name in __all__:
        from autograder.notebook import api

        return getattr(api, name)
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
