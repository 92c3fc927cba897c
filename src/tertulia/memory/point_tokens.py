"""What points cost in a prompt."""

from collections.abc import Iterable

from tertulia.memory.domain import Point
from tertulia.models.tokens import count

#: A dash before each point, its round and a new line after it.
POINT_OVERHEAD_TOKENS = 6


def count_point_tokens(text: str) -> int:
    """Return about how many tokens a point with this text takes."""
    return count(text, "") + POINT_OVERHEAD_TOKENS


def count_points_tokens(points: Iterable[Point]) -> int:
    """Return about how many tokens points take together."""
    return sum(count_point_tokens(point.text) for point in points)


def truncate_to_words(text: str, max_tokens: int) -> str:
    """Return a text, or as many of its first words as fit and an ellipsis; nothing where no word fits."""
    if count(text, "") <= max_tokens:
        return text
    # Not all scripts put spaces between words.
    between = " " if " " in text or text.isascii() else ""
    words = text.split(" ") if between else list(text)
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if count(with_ellipsis(words[:middle], between), "") <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return with_ellipsis(words[:low], between) if low else ""


def with_ellipsis(words: list[str], between: str) -> str:
    """Return words that are not all there were."""
    return between.join(words).rstrip(",;:- ") + "…"
