"""Statements that people make of themselves: where several write, nobody else can revise them."""

import re
from functools import lru_cache

from tertulia.conversations.reversal_sentences import parse_reversal

#: Summaries speak of a person as the user.
SELF_PATTERN = re.compile(
    r"(?<![\w./])(?:I(?![./])|[Mm](?:on|a)(?= [a-zà-ÿ])|(?i:i['\u2019](?:m|ve|d|ll)|i (?:am|have|was|will)"
    r"|me|my|mine|myself|the user|ich|mich|mir|mein(?:e[mnrs]?)?|yo|m[ií]|mis|m[ií][oa]s?|conmigo"
    r"|je|j['\u2019]\w+|moi|miei|mie|meus?|minhas?|ik|mij|mijn))(?!\w)"
    r"|我(?!们)|私|僕|俺|저는|제\s|나는|내\s"
)
OURS_PATTERN = re.compile(
    r"(?<!\w)(?:ours?|unser(?:e[mnrs]?)?|nuestr[oa]s?|notre|nostr[oaie]|noss[oa]s?|onze)(?!\w)|我们的|우리",
    re.IGNORECASE,
)


@lru_cache(8_192)
def is_own_matter(statement: str, revision: str = "") -> bool:
    """Tell whether only the person who said something can revise it: they speak of themselves.

    What is “ours” others can take back by naming it.
    """
    if SELF_PATTERN.search(statement):
        return True
    return OURS_PATTERN.search(statement) is not None and not parse_reversal(revision).is_explicit
