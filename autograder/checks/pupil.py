"""The students of a sample class."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pupil:
    """One hand-in: the known answers that replace the solution's, and the points it should earn.

    ``lost`` maps an exercise to the points that its wrong answer should cost; all others earn full points. ``kind`` is
    ``answers``, ``release`` (handed in untouched), ``syntax error``, ``missing`` (no notebook) or ``corrupt``.
    """

    name: str
    about: str
    answers: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, float] = field(default_factory=dict)
    kind: str = "answers"
