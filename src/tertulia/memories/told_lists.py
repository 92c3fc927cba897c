"""Lists of facts that a person tells to be known: a message that says so, or has nothing but such facts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from tertulia.conversations.sentences import find_sentence_ends
from tertulia.memories import pasted_cues
from tertulia.memories.claims import parse_claims
from tertulia.memories.credential_cues import has_credential
from tertulia.memories.own_words import OwnSentence, has_long_quotation
from tertulia.memories.stances import CAPITALISED_PATTERN
from tertulia.memories.statement_cues import REFUSED_CUES
from tertulia.memories.told_json import find_told_json
from tertulia.memories.told_list_cues import (
    ANNOUNCING_PATTERN,
    BARE_LEAD_PATTERN,
    LIST_LEAD_PATTERN,
    OTHERS_LIST_PATTERN,
    QUOTED_LEAD_PATTERN,
    REMINDER_LEAD_PATTERN,
    TELLING_VERB_PATTERN,
)
from tertulia.memory.cues import STRAIGHT_QUOTES_TABLE
from tertulia.memory.worth_cues import is_request

#: Of a longer message no more is read, and no more facts are taken of one: its last ones may be the newest.
TOLD_LIST_READ_MAX_CHARS = 100_000
TOLD_LIST_ITEMS_MAX = 2_000
FACT_MAX_CHARS = 300
LIST_LEAD_MAX_CHARS = 400
#: Of a list without a word before it, so many are facts: notes and rules that are pasted have other items.
UNLED_FACTS_MIN_SHARE = 0.8
#: A list without marks and without a word that says outright what it is has so many facts.
UNMARKED_FACTS_MIN = 3
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
#: Programs that tell facts write them as a talk: who speaks first is the person who sends them.
FRAME_START_PATTERN = re.compile(
    r"(?:dialogue|conversation|chat) between (?:the )?user and (?:the |an )?assistant[^<\n]{0,60}$"
    r"|<user>[ \t]*",
    re.IGNORECASE,
)
FRAME_OTHER_PATTERN = re.compile(r"</?(?:assistant|ai|bot|system|tool)>", re.IGNORECASE)
#: A line of a chat.
SPEAKER_PATTERN = re.compile(r"[A-Z]\w+(?: \([^)]{1,20}\))?: ")


@dataclass(frozen=True, slots=True)
class ToldList:
    """The items of a list that is told to be known, without their marks."""

    items: tuple[OwnSentence, ...]
    #: Words before it say outright what it is.
    is_led: bool
    is_marked: bool = True

    def has_enough(self, found: int) -> bool:
        """Tell whether so many of its items say something: a list without a lead is nothing but facts."""
        least = 1 if self.is_led or self.is_marked else UNMARKED_FACTS_MIN
        return found >= (least if self.is_led else max(least, UNLED_FACTS_MIN_SHARE * len(self.items)))


def find_told_list(text: str) -> ToldList | None:
    """Return the list that a message is; None where it is something else, or its list is somebody else's."""
    read = text[:TOLD_LIST_READ_MAX_CHARS]
    if listed := find_told_json(read):
        is_told = _is_told(listed.lead, [listed.tail])
        return ToldList(listed.items[:TOLD_LIST_ITEMS_MAX], is_led=True) if is_told else None
    parts = _leave_frame(part for part in _split_parts(read) if part.text)
    is_marked = any(_find_mark(part.text) for part in parts)
    if not is_marked:
        parts = list(_split_sentences(read, parts))
    first = _count_lead_parts(parts, is_marked=is_marked)
    lead = " ".join(part.text for part in parts[:first])
    if first >= len(parts) or not (is_marked or lead):
        return None
    unmarked = [part for part in parts[first:] if not _find_mark(part.text)]
    tail = [part.text for part in (unmarked if is_marked else unmarked[-1:])]
    if not _is_told(lead, tail) or pasted_cues.DISOWNING_CUES[1].search(_join(parts)):
        return None
    items = (_strip_mark(part) for part in parts[first:] if not is_marked or _find_mark(part.text))
    if not lead:
        items = (item for item in items if not SPEAKER_PATTERN.match(item.text))
    is_led = _is_list_lead(lead) and (is_marked or _ends_lead(lead))
    is_led = bool(lead) and (is_led or (is_marked and _only_announces(lead)))
    return ToldList(tuple(islice(items, TOLD_LIST_ITEMS_MAX)), is_led, is_marked)


def _leave_frame(parts: Iterator[OwnSentence]) -> list[OwnSentence]:
    """Return parts without the marks by which a program says who speaks, and without what others say."""
    told: list[OwnSentence] = []
    for part in parts:
        if FRAME_OTHER_PATTERN.match(part.text):
            break
        frame = None if told else FRAME_START_PATTERN.match(part.text)
        begin = frame.end() if frame else 0
        if part.text[begin:]:
            told.append(OwnSentence(part.text[begin:], part.start_char + begin, part.end_char))
    return told


def _join(parts: Sequence[OwnSentence]) -> str:
    return "\n".join(part.text for part in parts)


def _count_lead_parts(parts: Sequence[OwnSentence], *, is_marked: bool) -> int:
    """Return how many parts stand before the first item: of a list without marks those that announce it."""
    if is_marked:
        return next(place for place, part in enumerate(parts) if _find_mark(part.text))
    others = (place for place, part in enumerate(parts) if not _announces(part.text))
    return next(others, len(parts))


def _announces(sentence: str) -> bool:
    """Tell whether a sentence says that something to be known follows, and is no fact itself."""
    if len(sentence) > LIST_LEAD_MAX_CHARS or is_named_fact(sentence):
        return False
    patterns = (BARE_LEAD_PATTERN, ANNOUNCING_PATTERN, TELLING_VERB_PATTERN)
    return any(pattern.match(sentence) for pattern in patterns)


def _is_list_lead(lead: str) -> bool:
    """Tell whether a lead says outright that facts are told."""
    patterns = (REMINDER_LEAD_PATTERN, LIST_LEAD_PATTERN, BARE_LEAD_PATTERN)
    return any(pattern.match(lead) for pattern in patterns)


def _ends_lead(lead: str) -> bool:
    return lead.endswith(":") or REMINDER_LEAD_PATTERN.match(lead) is not None


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
    if (
        len(lead) > LIST_LEAD_MAX_CHARS
        or QUOTED_LEAD_PATTERN.search(lead)
        or OTHERS_LIST_PATTERN.search(lead)
    ):
        return False
    if any(map(pasted_cues.DISOWNING_CUES[0].search, (lead, *tail))):
        return False
    if REMINDER_LEAD_PATTERN.match(lead):
        return True
    is_led = not lead or _is_list_lead(lead) or _only_announces(lead)
    return is_led and not any(map(LIST_REQUEST_PATTERN.search, tail))


def _only_announces(lead: str) -> bool:
    """Tell whether a lead announces something to be known, and asks for nothing else."""
    ends = find_sentence_ends(lead)
    sentences = [lead[begin:end].strip() for begin, end in pairwise((0, *ends)) if lead[begin:end].strip()]
    asks_else = any(is_request(said) and not TELLING_VERB_PATTERN.match(said) for said in sentences)
    return any(map(_announces, sentences)) and not asks_else


def _split_parts(text: str) -> Iterator[OwnSentence]:
    """Yield the rows of a text, and the numbered facts of a row that has several."""
    for row in ROW_PATTERN.finditer(text):
        begin = row.start()
        for end in (*(found.start() for found in NEXT_NUMBER_PATTERN.finditer(row[0])), len(row[0])):
            yield _trim(text, begin, row.start() + end)
            begin = row.start() + end


def _split_sentences(text: str, rows: Sequence[OwnSentence]) -> Iterator[OwnSentence]:
    """Yield the sentences of rows without marks; what stands before a colon in the first is its lead."""
    for number, row in enumerate(rows):
        lead = 0 if number else row.text.find(": ") + 1
        begin = 0
        for end in sorted({lead, *find_sentence_ends(row.text)} - {0}):
            yield _trim(text, row.start_char + begin, row.start_char + end)
            begin = end


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
