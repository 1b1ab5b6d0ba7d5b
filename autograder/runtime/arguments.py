"""Arguments that are created in the process that runs the student's code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Made:
    """The result of calling the notebook's ``name`` with ``kwargs``."""

    name: str
    kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class Seeded:
    """A torch.Generator with this seed, shared by all calls of a request."""

    seed: int
