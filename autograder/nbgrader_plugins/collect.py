"""``nbgrader collect``: from nbgrader's exchange, with all that was handed in beside the notebook."""

from typing import Any

import traitlets
from nbgrader.exchange.default import ExchangeCollect


class CollectWhole(ExchangeCollect):
    """Collects weights and modules of one's own, too. nbgrader has one list of what is ignored, for release and collect."""

    not_collected: Any = traitlets.List(help="What is left where it lies.").tag(config=True)

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the folder ``src`` of a hand-in to ``dest``."""
        not_released, self.coursedir.ignore = self.coursedir.ignore, self.not_collected
        try:
            super().do_copy(src, dest, log)
        finally:
            self.coursedir.ignore = not_released
