"""Read real ratings and search data, in the file formats of MovieLens and MS MARCO."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from course_lib.data.text_pairs import Words, tokens_of

#: Column separators by file name; each line holds user, item, stars and seconds since 1970.
FORMATS: dict[str, str] = {"u.data": "\t", "ratings.dat": "::", "ratings.csv": ","}


@dataclass(frozen=True)
class Ratings:
    """Ratings of items by users, with stars and times, sorted by user and then by time.

    users, items (R,): indices from 0, in the order of the numbers in the file, which are `user_numbers` and `item_numbers`.
    stars (R,): float32. times (R,): seconds since 1970.
    """

    users: Tensor
    items: Tensor
    stars: Tensor
    times: Tensor
    user_numbers: Tensor
    item_numbers: Tensor

    def histories(self, at_least: int = 1) -> list[Tensor]:
        """Return the items of each user in the order of time; users with fewer than `at_least` are left out."""
        counts = torch.bincount(self.users, minlength=len(self.user_numbers))
        return [part for part in self.items.split(counts.tolist()) if len(part) >= at_least]


def movie_lens(path: str | os.PathLike[str]) -> Ratings:
    """Return the ratings in a file of MovieLens: `u.data` (100K), `ratings.dat` (1M, 10M) or `ratings.csv` (later ones).

    Raises ValueError for a file of another name, for an invalid line, and for a file without a rating.
    """
    file = Path(path)
    if file.name not in FORMATS:
        raise ValueError(f"Expected a file called {', '.join(FORMATS)}, got {file.name}.")
    rows = list(_ratings(file, FORMATS[file.name]))
    if not rows:
        raise ValueError(f"Expected {file} to hold ratings, got none.")
    numbers = torch.tensor([row[:3] for row in rows])
    stars = torch.tensor([row[3] for row in rows])
    user_numbers, users = numbers[:, 0].unique(return_inverse=True)
    item_numbers, items = numbers[:, 1].unique(return_inverse=True)
    order = sorted(range(len(rows)), key=lambda row: (rows[row][0], rows[row][2]))
    return Ratings(users[order], items[order], stars[order], numbers[order, 2], user_numbers, item_numbers)


def _ratings(file: Path, separator: str) -> Iterator[tuple[int, int, int, float]]:
    """Yield (user, item, time, stars) of each line."""
    for place, line in enumerate(file.read_text(encoding="utf8").splitlines()):
        if not line.strip() or (place == 0 and line.startswith("userId")):
            continue
        columns = line.split(separator)
        try:
            user, item, stars, time = columns
            yield int(user), int(item), int(time), float(stars)
        except ValueError:
            raise ValueError(
                f"Expected line {place + 1} of {file} to hold user, item, stars and time with {separator!r} between, "
                f"got {line!r}."
            ) from None


def tab_separated_triples(
    path: str | os.PathLike[str], most: int | None = None, words: Callable[[str], Words] = tokens_of
) -> list[tuple[Words, Words, Words]]:
    """Return the triples in a file like MS MARCO's `triples.train.small.tsv`, each text as a list of words.

    A line holds a question, a paragraph that answers it and one that does not. most: the maximum number of lines, by default all.
    Raises ValueError for a line with another number of columns and for a file without a line.
    """
    found: list[tuple[Words, Words, Words]] = []
    with Path(path).open(encoding="utf8") as lines:
        for place, line in enumerate(lines):
            if most is not None and len(found) >= most:
                break
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 3:
                raise ValueError(f"Expected line {place + 1} of {path} to hold 3 texts, got {len(columns)}.")
            query, right, wrong = map(words, columns)
            found.append((query, right, wrong))
    if not found:
        raise ValueError(f"Expected {path} to hold triples, got none.")
    return found
