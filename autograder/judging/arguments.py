"""Arguments that are made where the student's code is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Made:
    """What the notebook calls ``name``, called with ``kwargs``."""

    name: str
    kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class Seeded:
    """A torch.Generator with this seed, one for all calls of a request."""

    seed: int
