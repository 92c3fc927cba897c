"""The order of passages, fair to files: a subject that was much talked about does not push its file out."""

from collections import deque
from collections.abc import Iterable, Iterator

from tertulia.context.domain import RecalledPassage

#: While files have had fewer slots than this, every second slot is a file's.
FILE_PASSAGES_MIN = 3


def order_fairly(found: Iterable[RecalledPassage]) -> Iterator[RecalledPassage]:
    """Yield passages, the best first, but after each of talk one of a file while those have had too few."""
    ranked = list(enumerate(found))
    files = deque(place for place in ranked if place[1].passage.path)
    talk = deque(place for place in ranked if not place[1].passage.path)
    file_count, was_talk = 0, False
    while files and talk:
        is_owed = was_talk and file_count < FILE_PASSAGES_MIN
        was_talk = not is_owed and talk[0][0] < files[0][0]
        file_count += not was_talk
        yield (talk if was_talk else files).popleft()[1]
    yield from (passage for _, passage in (*files, *talk))
