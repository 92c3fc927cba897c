"""Stances: whether a statement is for or against something, or says that it is over."""

import re
from dataclasses import dataclass
from functools import lru_cache

from tertulia.conversations.reversal_cues import COMPARED_CUES, TARGETED_CUES
from tertulia.conversations.reversal_sentences import REVERSAL_MAX_CHARS, find_targets
from tertulia.core.word_stems import stem_fully
from tertulia.memories.claims import CLAIM_READ_MAX_CHARS, SPACES_PATTERN, strip_statement
from tertulia.memory.cues import STRAIGHT_QUOTES_TABLE, compile_cues
from tertulia.retrieval.statement_stems import find_stems

#: What somebody did and does no longer.
END_CUES = compile_cues(
    r"no longer|any ?(?:more|longer)|sick of|tired of|fed up with|bored (?:of|with)|stop(?= \w+ing\b)"
    r"|off(?= (?:my|the|all) )|again|(?:have |'ve |has )?(?:stopped|quit|quitted|gave up|given up"
    r"|giving up|dropped|sold"
    r"|cancell?ed|ditched|abandoned)|died|passed away|gone off|(?:have |'ve )?finished|decided against"
    r"|broke up(?: with)?|split up(?: with)?|used to(?! be\b)"
    r"|nicht mehr|kein\w* \w+ mehr|aufgehört|aufgegeben|ya no|(?:he )?dejado de|dejé de|(?<=[\s'])(?:n'\w+"
    r"|ne \w+) plus"
    r"|arrêté d[e']|non \w+ più|smesso di|já não|deixei de|parei de",
)
NEGATION_OR_END_CUES = compile_cues(
    r"sick of|tired of|fed up with|bored (?:of|with)|stop(?= \w+ing\b)"
    r"|off(?= (?:my|the|all) )"
    r"|not|\w+n't|cannot|never|no longer|no|without|against|stopped|quit|gave up|given up|dropped|sold"
    r"|ditched|abandoned|cancell?ed|died|used to(?! be\b)|split up"
    r"|passed away|gone off|finished|broke up|nicht|kein\w*|nie|aufgehört|nunca|jamás|n'\w+|ne|non|não|ya no"
    r"|dejado|dejé|arrêté"
    r"|smesso|deixei|parei",
)
DISLIKE_CUES = compile_cues(
    r"hates?|hated|dislikes?|detests?|loathes?|(?:can't|cannot|can not) stand|avoids?|hasse|odio|détest\w+"
    r"|odeio|detesto",
)
#: Words of a stance itself, and those that only say how often, since when or in which way something is done.
STANCE_STEMS = find_stems(
    "avoid avoids "
    "ve ll re been broke broken got with finished finish kein keinen keine gern gerne come to tried try "
    "like likes liked love loves loved enjoy enjoys hate hates hated dislike dislikes detest loathe "
    "stand cannot can fan adore adores prefer really much very so quite still always never again "
    "anymore longer any more stopped stop quit quitted gave give given up giving dropped drop sold sell "
    "cancelled cancel ditched abandoned died passed away started start starting begun come came gone "
    "off become became learnt don doesn didn isn aren wasn won couldn eat eats eating drink drinks "
    "drinking use uses using used take takes taking decided decide going go against please not day days "
    "these now named called have has had last week month year january february march april june july "
    "august september october november december actually sick tired bored fed ich je mag aime esse trinke "
    "plus mehr nicht me "
    "gusta encanta odio non ya no am an un one split "
)
#: When something was done is not named by whoever says that it is over.
TIME_STEMS = find_stems(
    "monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday "
    "saturdays sunday sundays weekend weekends weekday weekdays morning mornings evening evenings night "
    "nights every each daily weekly once twice times week month year day since years months"
)
#: What one does with something that one likes: whoever does so no longer has gone off it.
TAKING_STEMS = find_stems(
    "watch watching read reading listen listening hear wear wearing play playing handle support supporting"
    " follow following"
)
#: Other words for liking.
FAN_PATTERN = re.compile(
    r"(?:i|we)(?:'m|'re| am| are) (?:an? )?(?:\w+ ){0,2}?(?:fan of|into|fond of|keen on)\b",
    re.IGNORECASE,
)
#: "I've come to like": that it was otherwise before is no part of what is liked.
COME_TO_PATTERN = re.compile(
    r"\b(?:come|grown|learned|learnt|got|started|begun) to (?=(?:like|love|enjoy|hate|dislike)\b)"
)
#: One by one: as a word of a text, "like" is passed over.
LIKING_STEMS = frozenset(map(stem_fully, ("love", "like", "enjoy", "adore")))
FIRST_PERSON_PATTERN = re.compile(
    r"(?:[A-Z]\w+ and )?(?:i|we)(?:'\w+)?\b|(?:ich|wir|yo|je|nous|io|eu)\b|j'|(?:rauche|fumo)\b",
    re.IGNORECASE,
)
OWN_THING_PATTERN = re.compile(
    r"(?:my|our|mein\w*|unser\w*|mi|mon|ma|notre|mio|mia|meu|minha)\b", re.IGNORECASE
)
INSTRUCTION_PATTERN = re.compile(
    r"(?:please |you (?:can|may|should) |always |never |do not |don't )*(?:stop \w+ing|answer|reply|respond"
    r"|format|explain|use|write|add|include|show|give"
    r"|keep|avoid"
    r"|mention|send|put|make|ask|call|suggest)\b",
    re.IGNORECASE,
)
#: A verb as a noun: its last consonant may be there twice.
GERUND_PATTERN = re.compile(r"\b([a-z]*?([a-z]))(?:(?<=[bdgmnprt])\2)?ing\b")
#: Words of names tell no stance.
CAPITALISED_PATTERN = re.compile(r"\b[A-Z]\w*")
#: Where a sentence says what holds instead.
CLAUSE_END_PATTERN = re.compile(r"[,;:\u2013\u2014]|\b(?:and|but|because|since|so)\b")
TARGET_GATE_PATTERN = re.compile(
    r"switch|chang|trad(?:ed|ing)|exchang|dropped|dumped|left|g[ia]ven? up|migrat|replac|instead of"
    r"|rather|sooner|, not "
    r"|in place of|swap|scrap|ditch|mov(?:ed|ing) from|against"
    r"|abandon"
    r"|statt|anstelle|en vez|en lugar|au lieu|à la place|invece di|em vez",
    re.IGNORECASE,
)
SWITCH_PATTERN = re.compile(
    r"(?:switch|chang|migrat|mov)(?:ed|ing|e)? (?:over )?to [^,.;]{1,60}? from (?P<target>[^,.;]{1,60})",
    re.IGNORECASE,
)
THING_SWITCH_PATTERN = re.compile(
    r"(?:switch|chang|mov|migrat|convert|port)(?:ed|ing)? (?:(?:my|our|the) [^,.;]{1,40}?"
    r"|[a-z]{3,}) from (?P<target>[^,.;]{1,60}?) to ",
    re.IGNORECASE,
)
#: "I'd rather have tea than coffee".
RATHER_PATTERN = re.compile(
    r"(?:i|we)(?:'d| would)(?: much)? (?:rather|sooner) [^,.;]{2,60}? than (?P<target>[^,.;]{2,40})",
    re.IGNORECASE,
)


#: What is given up for something else.
GIVEN_UP_PATTERN = re.compile(
    r"(?:i|we)(?:'ve| have)?(?: just| finally| recently)? (?:ditched|dropped|swapped|traded(?: in)?|exchanged"
    r"|abandoned|dumped|left|gave up|given up) (?:my |our |the )?(?P<target>[^,.;]{2,40}?) (?:for"
    r"|in favou?r of) ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stance:
    """What a statement is for or against."""

    #: Who: the person, the assistant that is told something, or empty for anybody else.
    who: str
    is_against: bool
    #: It was so, and is over.
    is_end: bool
    topic: frozenset[str]
    #: What is done, where a person says what they do.
    verb: str
    #: What it names as replaced by something else.
    targets: frozenset[str]


@lru_cache(8_192)
def parse_stance(text: str) -> Stance:
    """Return what a statement is for or against."""
    whole = SPACES_PATTERN.sub(" ", text[:CLAIM_READ_MAX_CHARS].translate(STRAIGHT_QUOTES_TABLE))
    plain = strip_statement(text).text
    who = find_speaker(plain)
    is_end = END_CUES.search(whole if who else CAPITALISED_PATTERN.sub("", whole)) is not None
    told = COME_TO_PATTERN.sub("", find_ended(whole) if is_end else plain)
    against = told if is_end else whole
    return Stance(
        who=who,
        is_against=is_against(against if who else CAPITALISED_PATTERN.sub("", against)),
        is_end=is_end,
        topic=find_topic(told),
        verb=find_verb(plain) if who == "i" else "",
        targets=_find_switch_targets(whole[:REVERSAL_MAX_CHARS]),
    )


def find_topic(told: str) -> frozenset[str]:
    """Return the stems of what words are about: running and to run are the same."""
    stems = find_stems(GERUND_PATTERN.sub(r"\1", told))
    return frozenset(stem for stem in stems - STANCE_STEMS if len(stem) > 1)


def is_against(words: str) -> bool:
    """Tell whether words speak against something: who does not avoid it any more is for it."""
    rest, dislikes = DISLIKE_CUES.subn(" ", words)
    return bool(dislikes) != (NEGATION_OR_END_CUES.search(rest) is not None)


def find_ended(whole: str) -> str:
    """Return the part of a sentence that says that something is over; all of it where that names nothing."""
    ended = (clause for clause in CLAUSE_END_PATTERN.split(whole) if END_CUES.search(clause))
    return next((clause for clause in ended if find_stems(clause) - STANCE_STEMS), whole)


def find_verb(plain: str) -> str:
    """Return the stem of the word that follows who speaks; whoever is a fan likes."""
    if FAN_PATTERN.match(plain):
        return stem_fully("like")
    return stem_fully(plain.split(" ", 2)[1].casefold()) if " " in plain else ""


def find_speaker(plain: str) -> str:
    """Return whom a statement is about, of those that need no name."""
    if FIRST_PERSON_PATTERN.match(plain):
        return "i"
    if OWN_THING_PATTERN.match(plain):
        return "mine"
    return "you" if INSTRUCTION_PATTERN.match(plain) else ""


def _find_switch_targets(whole: str) -> frozenset[str]:
    if not TARGET_GATE_PATTERN.search(whole):
        return frozenset()
    if given_up := GIVEN_UP_PATTERN.match(whole):
        return find_stems(given_up["target"]) - STANCE_STEMS
    return (
        find_targets(
            whole, (*COMPARED_CUES, *TARGETED_CUES, SWITCH_PATTERN, THING_SWITCH_PATTERN, RATHER_PATTERN)
        )
        - STANCE_STEMS
    )
