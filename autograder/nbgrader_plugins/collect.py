"""``nbgrader collect``: from nbgrader's exchange, with all that was handed in beside the notebook."""

from typing import Any

from nbgrader.exchange.default import ExchangeCollect

#: Made by the programs, not by the student. The history of checks is the student's own.
NOT_COLLECTED = ["__pycache__", "*.pyc", ".ipynb_checkpoints", ".pytest_cache", ".autograder"]


class CollectWhole(ExchangeCollect):
    """Collects weights and modules of one's own, too. nbgrader has one list of what is ignored, for release and collect."""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the folder ``src`` of a hand-in to ``dest``."""
        not_released, self.coursedir.ignore = self.coursedir.ignore, NOT_COLLECTED
        try:
            super().do_copy(src, dest, log)
        finally:
            self.coursedir.ignore = not_released
