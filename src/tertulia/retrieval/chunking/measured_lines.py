"""A text as rows with what they cost: what every way of cutting works on."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from tertulia.models.tokens import (
    COUNTED_PIECE_CHARS,
    DEFAULT_TOKEN_MEASURE,
    count,
    replace_surrogates,
    vocabulary,
)

#: Every so many characters cost a token at least, so that blank stretches do not make endless chunks.
CHARS_PER_TOKEN_MAX = 16


@dataclass(frozen=True, slots=True)
class MeasuredLines:
    """A text's rows, where each begins, and the tokens before each; rows are counted from 0."""

    text: str
    rows: list[str]
    starts: list[int]
    cumulative_tokens: list[int]

    @classmethod
    def of(cls, text: str) -> "MeasuredLines":
        """Return a text as rows, each ended by a line feed and nothing else."""
        rows = text.split("\n")
        starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
        starts[-1] = len(text)
        known: dict[str, int] = {"": 1}
        for row in rows:
            if row not in known:
                known[row] = estimate_row_tokens(row)
        return cls(text, rows, starts, list(accumulate(map(known.__getitem__, rows), initial=0)))

    def __len__(self) -> int:
        return len(self.rows)

    def estimate_tokens(self, first: int, last: int) -> int:
        """Return about how many tokens rows `first` up to `last` take: never much less than they do."""
        return self.cumulative_tokens[last] - self.cumulative_tokens[first]

    def last_row_within(self, first: int, tokens: int) -> int:
        """Return the last row (exclusive) up to which rows from `first` take at most `tokens`."""
        return bisect_right(self.cumulative_tokens, self.cumulative_tokens[first] + tokens) - 1

    def row_of(self, char: int) -> int:
        """Return the row that a character stands in."""
        return min(bisect_right(self.starts, char), len(self.rows)) - 1


def estimate_row_tokens(row: str) -> int:
    """Return what a row takes with its line end."""
    return max(count_chunk_tokens(row), len(row) // CHARS_PER_TOKEN_MAX) + 1


def count_chunk_tokens(text: str) -> int:
    """Return how many tokens a text takes, in the vocabulary that stands for all."""
    if len(text) > COUNTED_PIECE_CHARS:
        return count(text, "")
    # What `count` does for a text this short, without the steps around it: this runs for every row.
    return len(vocabulary(DEFAULT_TOKEN_MEASURE.vocabulary).encode_ordinary(replace_surrogates(text)))


def is_blank_row(row: str) -> bool:
    """Return whether a row shows nothing."""
    return not row or row.isspace()


def indent_width(row: str) -> int:
    """Return how far a row is set in; a tab counts four."""
    inside = len(row) - len(row.lstrip(" \t"))
    return inside + 3 * row.count("\t", 0, inside)
