"""Claims that people make of themselves and of the answers they want, in the words of a few languages."""

import re
from collections.abc import Iterator

from tertulia.memory.cues import has_negation
from tertulia.retrieval.statement_stems import find_stems

I_REGEX = r"(?<!\w)(?:i|we)(?:'m|'re|'ve|'d| am| are| have| was| were| will be| just| also| both)*"
LANGUAGE_REGEX = (
    r"(?:(?:british|american|simple|plain|mexican|brazilian|swiss) )?(?:english|german|french|spanish|italian"
    r"|portuguese|dutch|polish|japanese|chinese|korean|russian|turkish|arabic|hindi|greek|swedish|catalan"
    r"|czech)"
    r"|deutsch|englisch|französisch|español|inglés|français|anglais|italiano|inglese|português|inglês"
)
#: Relations of a person who speaks, each with the pattern of what they say; the group `value` is the value.
OWN_PATTERNS = tuple(
    (relation, re.compile(pattern, re.IGNORECASE))
    for relation, pattern in (
        ("figure", rf"{I_REGEX} (?:turned )?(?P<value>\d{{1,3}})(?: years? old)?$|^my age is (?P<other>\d+)"),
        ("figure", r"^ich bin (?P<value>\d{1,3}) jahre|^tengo (?P<other>\d{1,3}) años"),
        (
            "name",
            r"\b(?:calls? me|my (?:full )?name is|i go by|i'm called) (?P<value>.+)$"
            r"|\b(?:ich heiße|mein name ist|me llamo|mi nombre es|je m'appelle|mi chiamo|me chamo|chamo-me)"
            r" (?P<other>.+)$",
        ),
        (
            "place",
            r"^ich (?:wohne|lebe) (?:in|bei) (?P<value>.+)$|^ich bin nach (?P<other>.+?) (?:um)?gezogen"
            r"|^(?:yo )?(?:vivo|vivimos) en (?P<third>.+)$|^me he mudado a (?P<fourth>.+)$"
            r"|^(?:j'habite|nous habitons) (?:à|en|au|dans) (?P<fifth>.+)$|^abit(?:o|iamo) (?:a"
            r"|in) (?P<sixth>.+)$"
            r"|^(?:eu )?mor(?:o|amos) (?:em|no|na) (?P<seventh>.+)$|^(?:my|our) home is (?:in"
            r"|at) (?P<eighth>.+)$",
        ),
        (
            "employer",
            r"^ich arbeite bei (?P<value>.+)$|^(?:yo )?trabajo (?:en|para) (?P<other>.+)$"
            r"|^je travaille chez (?P<third>.+)$|^lavoro (?:per|alla|da) (?P<fourth>.+)$"
            r"|^trabalho (?:na|no|para a?) (?P<fifth>.+)$|^my (?:new )?employer is (?P<sixth>.+)$",
        ),
        (
            "language",
            r"\b(?:answer|reply|respond|write|talk|speak)\b(?: to me| me| always| everything| only)* in "
            rf"(?P<value>{LANGUAGE_REGEX})\b|\bantworte\w* (?:immer |bitte "
            rf"|mir )*auf (?P<other>{LANGUAGE_REGEX})",
        ),
        (
            "length",
            r"\b(?:answers?|replies|responses|explanations?|explain|things)\b.{0,20}"
            r"\b(?P<value>short|brief|concise|terse|crisp|long|detailed|thorough|in (?:\w+ )?(?:detail"
            r"|depth)|at length)\b"
            r"|\b(?P<other>short|brief|concise|terse|crisp|long|detailed|thorough)\b.{0,20}\b(?:answers?"
            r"|replies|responses"
            r"|explanations?)\b",
        ),
        ("units", r"\b(?P<value>metric|imperial) units\b"),
        ("address", r"\baddress me (?P<value>\w+ly)\b"),
        ("spelling", r"\b(?P<value>british|american|australian|canadian) spelling\b"),
    )
)
#: States of anybody, each with the group `who`.
STATE_PATTERNS = tuple(
    (relation, re.compile(pattern))
    for relation, pattern in (
        (
            "marital",
            r"^(?P<who>.{1,60}?)(?:'m|'re| am| is| are| was)?(?: not| no longer| getting| got| happily| have"
            r"| has| been)*"
            r" (?P<value>(?:married|engaged|divorced|widowed|separated|single)"
            r"(?: (?:to|from) .{1,80}?)?)(?:,? (?:and|but|so|since|because|which)\b.*)?$",
        ),
        (
            "marital",
            r"^(?P<who>[Jj]e suis|[Ii]ch bin|[Ee]stoy|[Ss]oy|[Ss]ono|[Ee]stou|[Ss]ou) (?P<value>célibataire"
            r"|marié|mariée|divorcée?|ledig|verheiratet|geschieden|solter[oa]|casad[oa]|divorciad[oa]"
            r"|sposat[oa]|solteir[oa])$",
        ),
        (
            "diet",
            r"^(?P<who>.{1,60}?)(?:'m|'re| am| is| are|'ve| have| has)?(?: been| an?| not| no longer| become"
            r"| became| gone| started| back to)*"
            r" (?P<value>vegetarian|vegan|pescatarian|omnivore|eats? meat|eats? everything|eating meat)\b",
        ),
        (
            "employer",
            r"^(?P<who>.{1,60}?)(?:'m| am| is| are)? (?P<value>unemployed|retired|between jobs"
            r"|self-employed)$",
        ),
        ("job", r"^(?P<who>.{1,60}?)(?: was| got| has been|'ve been)? promoted to (?P<value>.+)$"),
    )
)
STATE_GATE_PATTERN = re.compile(
    r"mari|marri|engaged|divorc|widow|separated|single|vege?ta|vegan|pescat|omnivore|meat|everything"
    r"|employed|retired|jobs"
    r"|promoted|célib|ledig|verheir|gesch|solt|casad|sposat"
)
FOREIGN_SELVES = frozenset(
    ("Je suis", "je suis", "Ich bin", "ich bin", "Estoy", "Soy", "Sono", "Estou", "Sou", "estoy", "soy")
)
COUNT_PATTERN = re.compile(
    r"(?P<who>i|we|[A-Z][\w' ]{1,40}?|(?:my|our) [\w' ]{1,40}?) (?:have|has|'ve got|got) "
    r"(?P<count>\d+|one|two|three|four|five|six|seven|eight|nine|ten|no) (?P<thing>[a-z]+)",
    re.IGNORECASE,
)
PREFER_PATTERN = re.compile(
    rf"{I_REGEX} (?:would |really |much |strongly )*prefer (?P<first>.{{2,60}}?)"
    r"(?: (?:over|to|rather than|instead of) (?P<second>.{2,60}))?$",
    re.IGNORECASE,
)

#: What is preferred at one time or in one way: "meetings after lunch".
PLACED_PATTERN = re.compile(r"(?P<head>[a-z-]+) (?:before|after|with|without) \w", re.IGNORECASE)

#: In which way something is preferred to be done: "to pay in cash", "travelling by train".
PREFERRED_DEED_PATTERN = re.compile(
    r"(?P<deed>to [a-z]+|[a-z]+ing) (?:in|by|with|on|at|via|through) \w", re.IGNORECASE
)


def find_own_claims(plain: str) -> Iterator[tuple[str, str, bool]]:
    """Yield relations with their values, and whether these only end, of what a person says of themselves."""
    for relation, pattern in OWN_PATTERNS:
        if found := pattern.search(plain):
            value = next(group for group in found.groups() if group)
            shown = _classify_length(plain, value) if relation == "length" else value
            yield relation, shown.casefold().strip(" .!"), False
    if (" ha" in plain or "'ve got" in plain) and (found := COUNT_PATTERN.match(plain)):
        thing = " ".join(sorted(find_stems(found["thing"])))
        who = found["who"].casefold()
        yield f"count {thing} of {'i' if who in ('i', 'we') else who}", found["count"].casefold(), False
    if found := PREFER_PATTERN.search(plain):
        yield from _find_preferences(found["first"], found["second"] or "")


def _classify_length(plain: str, value: str) -> str:
    """Return whether answers are wanted short or long: who does not want them long wants them short."""
    is_short = value.casefold() in ("short", "brief", "concise", "terse", "crisp")
    return "short" if is_short != has_negation(plain) else "long"


def find_states(plain: str) -> Iterator[tuple[str, str, str]]:
    """Yield relations of people, with who stands in them and the value: married, vegan, retired."""
    if not STATE_GATE_PATTERN.search(plain):
        return
    for relation, pattern in STATE_PATTERNS:
        if found := pattern.match(plain):
            people = found["who"].split(" and ") if " and " in found["who"] else [found["who"]]
            yield from ((relation, "I" if who in FOREIGN_SELVES else who, found["value"]) for who in people)


def _find_preferences(first: str, second: str) -> Iterator[tuple[str, str, bool]]:
    """Yield what is preferred: one of two, or one of the kind that the last word names."""
    if second:
        both = sorted(find_stems(first) | find_stems(second))
        yield f"prefer {' '.join(both)}", first.casefold(), False
        return
    if placed := PLACED_PATTERN.match(first):
        yield f"prefer {' '.join(sorted(find_stems(placed['head'])))} placed", first.casefold(), False
        return
    if done := PREFERRED_DEED_PATTERN.match(first):
        yield f"prefer {done['deed'].casefold()}", first.casefold(), False
        return
    words = first.casefold().split()
    if 1 < len(words) <= 4:
        yield f"prefer {' '.join(sorted(find_stems(words[-1])))}", first.casefold(), False
