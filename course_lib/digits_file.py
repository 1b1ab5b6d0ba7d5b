"""Where the handwritten digits of :mod:`course_lib.data` lie: apart from it, because whoever only looks needs no PyTorch."""

import os
from importlib.util import find_spec
from pathlib import Path


def digits_file() -> Path | None:
    """Return the file that scikit-learn's ``load_digits`` reads, or None. The library is not imported, which takes a second.

    Exercises are graded where it cannot be imported at all, because it holds ready-made answers: COURSE_DIGITS names the file.
    """
    found = find_spec("sklearn")
    places = (
        [Path(place, "datasets", "data", "digits.csv.gz") for place in found.submodule_search_locations or ()]
        if found
        else []
    )
    if given := os.environ.get("COURSE_DIGITS"):
        places.append(Path(given))
    return next((place for place in places if place.is_file()), None)
