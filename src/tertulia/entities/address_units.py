"""Units before the street of an address: "Flat 4, 22 Acacia Avenue"."""

import re

#: Units before the street: "Flat 4, 22 Acacia Avenue".
LEADING_UNIT_PATTERN = re.compile(
    r"\b(?i:flat|apt|apartment|unit|suite|room|studio|office|floor|building|block)\.?[ ]?#?"
    r"[ ]?(?=[A-Za-z-]{0,4}\d|[A-Z]\b)"
    r"[A-Za-z0-9/-]{1,5},?[ ](?:(?:[A-Z]\w{1,20}[ ]){0,3}(?:House|Court|Tower|Building|Centre|Park"
    r"|Mill),[ ])?$"
)
#: The number itself may be that of a unit: "Unit 7, Riverside Business Park".
UNIT_WORD_PATTERN = re.compile(r"\b(?:flat|apt|apartment|unit|suite|no)\.?[ ]$", re.IGNORECASE)
#: A house with a name: "Rose Cottage, Mill Lane".
HOUSE_NAME_PATTERN = re.compile(
    r"(?<![\w'\u2019-])(?:The[ ])?(?!(?:The|In|At|To|From|On|Near|By|Visit|Our|My|And)\b)"
    r"(?:[A-Z][a-z'\u2019]+[ ]){1,3}"
    r"(?:House|Cottage|Rectory|Vicarage|Lodge|Manor|Barn|Farmhouse|Grange|Villa|Croft),[ ]$"
)
LEADING_UNIT_REACH_CHARS = 48


def start_with_unit(text: str, start: int) -> int:
    """Return where an address begins whose street begins at a position: with its unit or its house."""
    before = text[max(0, start - LEADING_UNIT_REACH_CHARS) : start]
    unit = (
        LEADING_UNIT_PATTERN.search(before)
        or UNIT_WORD_PATTERN.search(before)
        or HOUSE_NAME_PATTERN.search(before)
    )
    return start - len(unit[0]) if unit else start
