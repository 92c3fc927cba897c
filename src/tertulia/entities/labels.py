"""The sentence around a mention, in short: it says what an address or a number is of."""

import re

ENTITY_LABEL_MAX_CHARS = 120
LABEL_BOUNDARY_PATTERN = re.compile(r"(?<=[.!?;])\s+(?=[A-ZÀ-Ý\"(])|\n+")
SPACES_PATTERN = re.compile(r"\s+")


def label_mention(text: str, start: int, end: int) -> str:
    """Return the sentence around a place in a text, shortened on both sides to what stands near."""
    before = LABEL_BOUNDARY_PATTERN.split(text[max(0, start - ENTITY_LABEL_MAX_CHARS) : start])[-1]
    after = LABEL_BOUNDARY_PATTERN.split(text[end : end + ENTITY_LABEL_MAX_CHARS])[0]
    room = max(0, ENTITY_LABEL_MAX_CHARS - (end - start))
    before = before[-max(room // 2, room - len(after)) :] if room else ""
    after = after[: max(0, room - len(before))]
    return SPACES_PATTERN.sub(" ", f"{before}{text[start:end]}{after}").strip()
