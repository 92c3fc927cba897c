"""A text as rows with what they cost: what every way of cutting works on."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from tertulia.models.tokens import DEFAULT, PIECE, count, vocabulary, writable

#: Every so many characters cost a token at least, so that blank stretches do not make endless chunks.
CHARS_PER_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Lines:
    """A text's rows, where each begins, and the tokens before each; rows are counted from 0."""

    text: str
    rows: list[str]
    starts: list[int]
    sums: list[int]

    @classmethod
    def of(cls, text: str) -> "Lines":
        """Return a text as rows, each ended by a line feed and nothing else."""
        rows = text.split("\n")
        starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
        starts[-1] = len(text)
        known: dict[str, int] = {"": 1}
        for row in rows:
            if row not in known:
                known[row] = cost(row)
        return cls(text, rows, starts, list(accumulate(map(known.__getitem__, rows), initial=0)))

    def __len__(self) -> int:
        return len(self.rows)

    def cost(self, first: int, last: int) -> int:
        """Return about how many tokens rows `first` up to `last` take: never much less than they do."""
        return self.sums[last] - self.sums[first]

    def reach(self, first: int, tokens: int) -> int:
        """Return the last row (exclusive) up to which rows from `first` take at most `tokens`."""
        return bisect_right(self.sums, self.sums[first] + tokens) - 1

    def row_of(self, char: int) -> int:
        """Return the row that a character stands in."""
        return min(bisect_right(self.starts, char), len(self.rows)) - 1


def cost(row: str) -> int:
    """Return what a row takes with its line end."""
    return max(tokens_of(row), len(row) // CHARS_PER_TOKEN) + 1


def tokens_of(text: str) -> int:
    """Return how many tokens a text takes, in the vocabulary that stands for all."""
    if len(text) > PIECE:
        return count(text, "")
    # What `count` does for a text this short, without the steps around it: this runs for every row.
    return len(vocabulary(DEFAULT.vocabulary).encode_ordinary(writable(text)))


def blank(row: str) -> bool:
    """Return whether a row shows nothing."""
    return not row or row.isspace()


def indent(row: str) -> int:
    """Return how far a row is set in; a tab counts four."""
    inside = len(row) - len(row.lstrip(" \t"))
    return inside + 3 * row.count("\t", 0, inside)
