"""Lists of facts that a person tells to be known: a message that says so, or has nothing but such facts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tertulia.memories import pasted_cues
from tertulia.memories.claims import parse_claims
from tertulia.memories.credential_cues import has_credential
from tertulia.memories.own_words import OwnSentence, has_long_quotation
from tertulia.memories.stances import CAPITALISED_PATTERN
from tertulia.memories.statement_cues import REFUSED_CUES
from tertulia.memory.cues import STRAIGHT_QUOTES_TABLE

#: Of a longer message no more is read, and no more facts are taken of one: its last ones may be the newest.
TOLD_LIST_READ_MAX_CHARS = 100_000
TOLD_LIST_ITEMS_MAX = 2_000
FACT_MAX_CHARS = 300
LIST_LEAD_MAX_CHARS = 400
#: Of a list without a word before it, so many are facts: notes and rules that are pasted have other items.
UNLED_FACTS_MIN_SHARE = 0.8
#: How a person begins to tell facts.
LIST_NOUN_REGEX = r"(?:facts|statements|updates|corrections)"
REMINDER_LEAD_PATTERN = re.compile(
    r"(?:.{0,60}[.,!] )?(?:please |now |also |can you |could you |i want you to )*"
    r"(?:remember|memori[sz]e|learn|keep in mind|note|take note of)"
    r" (?:all |of |these|those|the|this|following|my|some|more|new|next|few|\d+|[, ])*"
    rf"(?:numbered )?(?:{LIST_NOUN_REGEX}|list of)\b",
    re.IGNORECASE,
)
LIST_LEAD_PATTERN = re.compile(
    r"(?:hi|hello|hey|ok(?:ay)?|now|next|also|and|update|[,.!: ])*"
    r"(?:here(?:'s| is| are| comes?)|these are|below|the following|following|let me (?:give|tell)"
    r"|i(?:'ll| will|'m going to) (?:give|tell)|some|more|new|further|another|a|numbered|list|part"
    rf"|{LIST_NOUN_REGEX})\b.*\b{LIST_NOUN_REGEX}\b",
    re.IGNORECASE,
)
BARE_LEAD_PATTERN = re.compile(rf"{LIST_NOUN_REGEX}\b[^.]*:?$", re.IGNORECASE)
#: Whoever says where facts are from, or what to do with them, quotes them.
QUOTED_LEAD_PATTERN = re.compile(
    r"\b(?:from|page|web ?site|web|article|files?|documents?|e-?mails?|letter|book|chat|says?|said|wrote|told"
    r"|according|search|results?|transcript|tool|output|translat\w*|summari\w*|check|verify|rewrite|rate"
    r"|improve|sort|rank|extract\w*|passage|why|rules?|my (?:essay|text|boss|teacher|friend)|sent|forwarded"
    r"|pasted|quote\w*|(?:tell|say|decide|mark|find|judge)\b.*\b(?:which|whether|if|what|wrong|false))\b|\?",
    re.IGNORECASE,
)
#: What asks something about a list after it.
LIST_REQUEST_PATTERN = re.compile(r"\?$|\b(?:these|those|them|above|list|facts|rules)\b", re.IGNORECASE)
#: The number or bullet before a fact, at the beginning of a row or between sentences of one.
NUMBER_MARK_REGEX = (
    r"(?:(?:[Ff]act|[Ii]tem|[Ss]tatement) ?(?:[Nn]o\. ?|#)?\d{1,7} ?[.):\u2013\u2014-]"
    r"|[\[(#]\d{1,7}[\])]?[.):]?|\d{1,7}[.):])[ \t]+"
)
NUMBER_MARK_PATTERN = re.compile(NUMBER_MARK_REGEX)
BULLET_MARK_PATTERN = re.compile(r"[-*+\u2022][ \t]+")
NEXT_NUMBER_PATTERN = re.compile(rf"(?<=[.!?\u2026\"'):])[ \t]+(?={NUMBER_MARK_REGEX}\S)")
ROW_PATTERN = re.compile(r"[^\n]+")
NAME_PATTERN = re.compile(r"[A-Z]\w|\d")
#: A verb that says of what stands before it what it is or does.
FINITE_VERB_PATTERN = re.compile(
    r"\w (?:is|are|was|were|has|have|had|will|can|must|may|[a-z]{2,}(?<!s)s|[a-z]{2,}ed|wrote|won|led|built"
    r"|made|held|became|began|ran|grew|met|sang|drew|sold|bought|taught) \S"
)
#: What is said of oneself, or to whoever answers, is no fact of a list: titles have these words in capitals.
OWN_WORD_PATTERN = re.compile(
    r"(?:.*[:;,] )?(?:I|We|My|Our|You|Your)(?:'\w+)? (?![A-Z])"
    r"|.*?(?<![\w'])(?:we|my|our|me|us|mine|ours|you|your)(?!\w)"
)
#: A line of a chat.
SPEAKER_PATTERN = re.compile(r"[A-Z]\w+(?: \([^)]{1,20}\))?: ")


@dataclass(frozen=True, slots=True)
class ToldList:
    """The items of a list that is told to be known, without their marks."""

    items: tuple[OwnSentence, ...]
    #: Words before it say what it is.
    is_led: bool

    def has_enough(self, found: int) -> bool:
        """Tell whether so many of its items say something: a list without a lead is nothing but facts."""
        return found >= (1 if self.is_led else max(1, UNLED_FACTS_MIN_SHARE * len(self.items)))


def find_told_list(text: str) -> ToldList | None:
    """Return the list that a message is; None where it is something else, or its list is somebody else's."""
    read = text[:TOLD_LIST_READ_MAX_CHARS]
    parts = [part for part in _split_parts(read) if part.text]
    first = next((place for place, part in enumerate(parts) if _find_mark(part.text)), 1)
    is_marked = first < len(parts) and _find_mark(parts[first].text) is not None
    lead = " ".join(part.text for part in parts[:first])
    unmarked = [part for part in parts[first:] if not _find_mark(part.text)]
    tail = [part.text for part in (unmarked if is_marked else unmarked[-1:])]
    if not (is_marked or lead.endswith(":") or REMINDER_LEAD_PATTERN.match(lead)):
        return None
    if not _is_told(lead, tail) or pasted_cues.DISOWNING_CUES[1].search(read):
        return None
    items = (_strip_mark(part) for part in parts[first:] if not is_marked or _find_mark(part.text))
    if not lead:
        items = (item for item in items if not SPEAKER_PATTERN.match(item.text))
    return ToldList(tuple(islice(items, TOLD_LIST_ITEMS_MAX)), bool(lead))


def is_named_fact(text: str) -> bool:
    """Tell whether a sentence says one thing of something with a name, and nothing of who speaks."""
    return _is_fact_of_name(text) and bool(parse_claims(text))


def is_led_fact(text: str) -> bool:
    """Tell whether a sentence that is called a fact states something, in whatever words."""
    return FINITE_VERB_PATTERN.search(text) is not None and _is_fact_of_name(text)


def _is_fact_of_name(text: str) -> bool:
    if len(text) > FACT_MAX_CHARS or text.endswith("?") or has_credential(text) or has_long_quotation(text):
        return False
    plain = text.translate(STRAIGHT_QUOTES_TABLE)
    said = CAPITALISED_PATTERN.sub("", plain)
    if OWN_WORD_PATTERN.match(plain) or REFUSED_CUES.search(said) or not NAME_PATTERN.search(plain):
        return False
    return not pasted_cues.DISOWNING_CUES[0].search(said)


def _is_told(lead: str, tail: Sequence[str]) -> bool:
    """Tell whether a list is told to be known: its lead says so, and nothing after it asks of it."""
    if len(lead) > LIST_LEAD_MAX_CHARS or QUOTED_LEAD_PATTERN.search(lead):
        return False
    if any(map(pasted_cues.DISOWNING_CUES[0].search, (lead, *tail))):
        return False
    if REMINDER_LEAD_PATTERN.match(lead):
        return True
    is_led = not lead or LIST_LEAD_PATTERN.match(lead) or BARE_LEAD_PATTERN.match(lead)
    return bool(is_led) and not any(map(LIST_REQUEST_PATTERN.search, tail))


def _split_parts(text: str) -> Iterator[OwnSentence]:
    """Yield the rows of a text, and the numbered facts of a row that has several."""
    for row in ROW_PATTERN.finditer(text):
        begin = row.start()
        for end in (*(found.start() for found in NEXT_NUMBER_PATTERN.finditer(row[0])), len(row[0])):
            yield _trim(text, begin, row.start() + end)
            begin = row.start() + end


def _trim(text: str, start: int, end: int) -> OwnSentence:
    said = text[start:end]
    begin = start + len(said) - len(said.lstrip())
    return OwnSentence(said.strip(), begin, begin + len(said.strip()))


def _find_mark(text: str) -> re.Match[str] | None:
    return NUMBER_MARK_PATTERN.match(text) or BULLET_MARK_PATTERN.match(text)


def _strip_mark(part: OwnSentence) -> OwnSentence:
    mark = _find_mark(part.text)
    begin = mark.end() if mark else 0
    return OwnSentence(part.text[begin:], part.start_char + begin, part.end_char)
