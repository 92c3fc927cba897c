"""When a new statement replaces an old one: it says something else of the same, or takes it back."""

import re
from functools import lru_cache

from tertulia.conversations.reversal_sentences import is_question
from tertulia.memories.alike_things import find_kinds, is_switched_kind
from tertulia.memories.attitudes import parse_attitude, turns_from
from tertulia.memories.claim_cues import MANY_VALUED_ACTION_PATTERN
from tertulia.memories.claims import Claim, PlainStatement, parse_claims, strip_statement
from tertulia.memories.stances import LIKING_STEMS, TAKING_STEMS, TIME_STEMS, Stance, parse_stance
from tertulia.memories.thing_changes import change_words, changes_value, finds_sought, valued_words
from tertulia.memory.worth_cues import RELATIVE_REGEX
from tertulia.retrieval.statement_stems import find_stems

LOOKUP_WORDS_MAX = 12
#: A statement that something is over names at least this share of what was said of it.
ENDED_TOPIC_MIN_SHARE = 0.5
#: This share of what is replaced by something else is named in what it replaces.
TARGET_MIN_SHARE = 0.6
NAME_OR_FIGURE_PATTERN = re.compile(r"[^\W\d_a-z]\w+|\w*\d[\w.:/-]*")
#: Statements that one says anew begin with so many words alike, and differ in no more than so many.
UPDATED_BEGINNING_MIN_WORDS, UPDATED_MAX_WORDS = 2, 4
#: Somebody else who has changed something has not changed it for who speaks.
OTHERS_SWITCH_PATTERN = re.compile(
    rf"(?:(?i:my|our) (?:[a-z]+ )?(?:{RELATIVE_REGEX}|friends?|colleagues?|neighbou?rs?|boss|manager)\b"
    r"|(?!(?:I|We|The|My|Our)\b)[A-Z]\w+(?: [A-Z]\w+)?) (?:[a-z]+ )*?(?:switch|mov|migrat|chang|convert"
    r"|went|gone)\w*"
)
#: Where a statement goes on with another thing of who speaks.
CLAUSE_START_PATTERN = re.compile(
    r"(?:[,;:.\u2013\u2014]+ |[,;]? )(?:(?:and|but|so|because|which is why) (?:now |instead |these days )?"
    r"|(?<=[,;:.\u2013\u2014] ))(?=(?:I|[Ww]e|[Mm]y|[Oo]ur)(?:'\w+)? )"
)
#: Where a statement goes on with what follows from it: "I'm vegan, so no eggs please".
CONSEQUENCE_PATTERN = re.compile(r", (?:so|which is why|hence|therefore)\b")
NUMBER_PATTERN = re.compile(r"\d+")
#: How often or how a thing is done says nothing of what it is.
FREQUENCY_PATTERN = re.compile(
    r"\b(?:usually|normally|typically|generally|often|mostly|mainly|always|regularly) ", re.IGNORECASE
)
#: What was decided is said as what is done, with or without a change of mind.
CHANGED_MIND_PATTERN = re.compile(
    r"^(?:we|i)(?:'ve| have)? changed (?:our|my) minds?(?: and|[,;:])? ", re.IGNORECASE
)
DECISION_LEAD_PATTERN = re.compile(
    r"^(?:(?:we|i)(?:'ve|'ll|'re|'m| have| will| are| am)? )?(?:now )?(?:(?:decided|agreed|chose|opted"
    r"|planned|planning|plan|going|want|wanted) to|will) (?=[a-z])",
    re.IGNORECASE,
)
#: What a person is liked to take, up to when and with what: its last word is what it is.
TAKEN_THING_PATTERN = re.compile(
    r"(?:i|we)(?:'\w+)? (?:[a-z]+ )??[a-z]+ (?P<thing>[^,;.]{2,60}?)"
    r"(?= (?:in|on|at|every|with|for|from|after|before|during|when|because|and|but|a lot|very much)\b|$)",
    re.IGNORECASE,
)
#: Who has left something with a name, and says what holds instead.
LEFT_TIE_PATTERN = re.compile(
    r"(?:[Ii]|[Ww]e)(?:'ve| have)? (?:(?:just|finally|recently) )?(?:left|quit|closed|cancell?ed"
    r"|resigned from|dropped|got rid of|terminated) (?:my |our |the )?"
    r"(?P<name>[A-Z][\w&'-]*(?: [A-Z][\w&'-]*)*)[^,;.]{0,40}?"
    r"(?:,|;| and) (?:[Ii](?:'m| am|'ve)? |[Ww]e(?:'re| are|'ve)? )?(?:now )?[a-z]+"
)
TIE_REGEX = r"\b(?:in|with|at|for|by|called|named|of|to|from|on|have|use) (?:[\w' ]{0,30} )?"
PAST_PATTERN = re.compile(r"\b(?:was|were|had|used to|visited|worked|lived|met|loved)\b")
LOCATION_PATTERN = re.compile(
    r"\b(?:is|are|live|lives|lived|based|located|born|grew up|work|works) (?:in|at|from)\b"
)


def replaces(new: str, old: str) -> bool:
    """Tell whether a new statement takes the place of an old one: both cannot hold at once."""
    if lookup_words(new).isdisjoint(lookup_words(old)) or is_question(old):
        return False
    held = dict.fromkeys((old, CONSEQUENCE_PATTERN.split(old, maxsplit=1)[0]))
    return any(_replaces(said, earlier) for said in split_clauses(new) for earlier in held)


def _replaces(new: str, old: str) -> bool:
    """Tell whether one thing that is said takes the place of an old statement."""
    if changes_value(new, old) or finds_sought(new, old):
        return True
    if _has_other_value(parse_claims(new), parse_claims(old)):
        return True
    if not parse_claims(new) and _is_updated(_read_done(new), _read_done(old)):
        return True
    # "Python 2" and "Python 3" are two things.
    if not set(NUMBER_PATTERN.findall(old)) <= set(NUMBER_PATTERN.findall(new)):
        return False
    is_opposite = turns_from(new, old) or _is_opposite(parse_stance(new), parse_stance(old))
    is_over = is_opposite or _ends_sort(new, old) or _leaves_tie(new, old)
    is_switched = is_over or _is_switched_from(new, old)
    return is_switched or is_switched_kind(strip_statement(new).text, strip_statement(old).text)


#: Somebody has left one thing, and does another.
LEFT_FOR_PATTERN = re.compile(
    r"(?P<who>(?:[Mm]y|[Oo]ur) [a-z]+(?: [A-Z]\w+)?|[A-Z]\w+(?: [A-Z]\w+)?) (?:has )?(?:left|quit)"
    r" [^,;]{2,60}? and (?:now )?"
    r"(?P<does>(?:works|lives|plays|sings|studies|goes|moved|joined|started)\b.+)$"
)
#: "My daughter Lily" is Lily.
APPOSITION_PATTERN = re.compile(r"^(?:[Mm]y|[Oo]ur) [a-z]+ (?=[A-Z])")


@lru_cache(8_192)
def split_clauses(text: str) -> tuple[str, ...]:
    """Return a statement, and each of several things that it says of who speaks and of what is theirs."""
    parts = [part.strip() for part in CLAUSE_START_PATTERN.split(text) if part.strip()]
    if left := LEFT_FOR_PATTERN.match(text):
        parts = [text[: left.start("does")], f"{left['who']} {left['does']}"]
    return (text, *parts) if len(parts) > 1 else (text,)


@lru_cache(16_384)
def lookup_words(content: str) -> frozenset[str]:
    """Return what statements on the same subject are found by: keys of claims, and stems of what they name.

    A statement that replaces another shares at least one of these with it.
    """
    return frozenset[str]().union(*map(_find_lookup_words, split_clauses(content)))


def _find_lookup_words(content: str) -> frozenset[str]:
    keys = dict.fromkeys(claim.key for claim in parse_claims(content))
    stance = parse_stance(content)
    said_by_anyone = bool(keys) and not (stance.who or stance.is_against)
    topic = frozenset[str]() if said_by_anyone else stance.topic
    attitude, changed = parse_attitude(content), change_words(content)
    valued = frozenset[str]() if said_by_anyone and not stance.who else valued_words(content)
    kinds = find_kinds(strip_statement(content).text)
    names = find_stems(" ".join(NAME_OR_FIGURE_PATTERN.findall(strip_statement(content).text)))
    stems = [
        stem
        for group in (stance.targets, attitude.thing if attitude else (), changed, topic, names, valued)
        for stem in sorted(group, key=lambda stem: (-len(stem), stem))
    ]
    return frozenset(list(dict.fromkeys([*keys, *kinds, *stems]))[:LOOKUP_WORDS_MAX])


def _has_other_value(new: tuple[Claim, ...], old: tuple[Claim, ...]) -> bool:
    values = {claim.key: claim for claim in old}
    return any((earlier := values.get(claim.key)) is not None and _differs(claim, earlier) for claim in new)


def _differs(new: Claim, old: Claim) -> bool:
    """Tell whether a claim says something else than an earlier one, or more; less is no news."""
    if old.left or (new.left and new.left not in old.value):
        return False
    if new.ends:
        return not old.ends and find_stems(new.value) <= find_stems(old.value)
    if new.value == old.value:
        return old.ends
    return f" {new.value} " not in f" {old.value} " or old.ends


def _is_opposite(new: Stance, old: Stance) -> bool:
    """Tell whether one is for what the other is against."""
    if new.is_against == old.is_against or not new.topic or not old.topic:
        return False
    if new.who != old.who and not (new.is_end and new.who == "mine"):
        return False
    if new.topic == old.topic:
        return True
    named = new.topic - TAKING_STEMS if old.verb in LIKING_STEMS else new.topic
    told = old.topic - TIME_STEMS
    names_most = len(named) >= ENDED_TOPIC_MIN_SHARE * len(told) or old.verb in named
    return new.is_end and bool(new.who and named) and named <= old.topic and names_most


def _ends_sort(new: str, old: str) -> bool:
    """Tell whether something is over of which an old statement names a sort: coffee, and iced coffee."""
    ended, earlier = parse_stance(new), parse_stance(old)
    if not (ended.is_end and ended.is_against and ended.who == earlier.who == "i") or earlier.is_against:
        return False
    taken = TAKEN_THING_PATTERN.match(strip_statement(old).text)
    head = find_stems(taken["thing"].split()[-1]) if taken else frozenset[str]()
    return bool(head) and ended.topic == head


def _leaves_tie(new: str, old: str) -> bool:
    """Tell whether a person has left, for something else, what an old statement says that they are with."""
    left = LEFT_TIE_PATTERN.match(strip_statement(new).text)
    said = strip_statement(old).text
    if left is None or parse_stance(old).who not in ("i", "mine"):
        return False
    if PAST_PATTERN.search(said) or LOCATION_PATTERN.search(said):
        return False
    return re.search(rf"{TIE_REGEX}{re.escape(left['name'])}\b", said) is not None


def _read_done(text: str) -> PlainStatement:
    """Return a statement as what is done, without how often, and without that it was decided."""
    plain = strip_statement(text)
    said, changes = CHANGED_MIND_PATTERN.subn("We ", plain.text, count=1)
    said = DECISION_LEAD_PATTERN.sub("We ", said.removeprefix("We ") if changes else said, count=1)
    said = APPOSITION_PATTERN.sub("", FREQUENCY_PATTERN.sub("", said))
    return PlainStatement(said, plain.is_update or bool(changes))


def _is_switched_from(new: str, old: str) -> bool:
    """Tell whether a statement puts something in the place of what an old one speaks of."""
    targets, earlier = parse_stance(new).targets, parse_stance(old)
    if not targets or targets <= earlier.targets:
        return False
    said = strip_statement(old).text
    if earlier.who in ("i", "mine") and OTHERS_SWITCH_PATTERN.match(strip_statement(new).text):
        return False
    is_same_thing = strip_statement(new).text.split(" ", 3)[:3] == said.split(" ", 3)[:3]
    is_instructed = earlier.who == parse_stance(new).who == "you"
    if not (earlier.who in ("i", "mine") or is_same_thing or is_instructed) or LOCATION_PATTERN.search(said):
        return False
    return len(targets & find_stems(said)) >= TARGET_MIN_SHARE * len(targets)


def _is_updated(new: PlainStatement, old: PlainStatement) -> bool:
    """Tell whether a statement that says it is new differs from an old one in a few words side by side."""
    if not new.is_update or MANY_VALUED_ACTION_PATTERN.search(new.text):
        return False
    said, earlier = new.text.casefold().split(), old.text.casefold().split()
    begin = _count_shared(said, earlier)
    end = _count_shared(said[begin:][::-1], earlier[begin:][::-1])
    changed = max(len(said), len(earlier)) - begin - end
    least = UPDATED_BEGINNING_MIN_WORDS + (said[:1] not in (["i"], ["we"], ["ich"], ["wir"]))
    return begin >= least and 0 < changed <= min(UPDATED_MAX_WORDS, len(earlier) - end)


def _count_shared(first: list[str], second: list[str]) -> int:
    """Return how many words two lists begin with alike."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (word, other) in pairs if word != other), min(len(first), len(second)))
