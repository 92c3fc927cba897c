"""Claims: what a statement says of one thing that has one value at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

from tertulia.memories import claim_cues as cues
from tertulia.memories.claim_nouns import ATTRIBUTES, MANY_VALUED_NOUNS, UNIQUE_ROLES
from tertulia.memories.own_claims import find_own_claims, find_states
from tertulia.memories.relation_names import RELATION_BY_VERB
from tertulia.memories.relations import find_active_claim, unify_relation
from tertulia.memory.cues import STRAIGHT_QUOTES_TABLE

#: Of a longer statement no more is read.
CLAIM_READ_MAX_CHARS = 400
#: Of a longer subject the rest is told by a hash.
CLAIM_SUBJECT_MAX_CHARS = 100
#: Who speaks, as the subject of a claim.
FIRST_PERSON_SUBJECT = "i"
FIRST_PERSON_SUBJECTS = frozenset(("i", "we", "i'm", "i am", "we're", "i've", "we've", "me", "us"))
SPACES_PATTERN = re.compile(r"\s+")
SUBJECT_MARKS_PATTERN = re.compile(r"[\"*`_<>\u00ab\u00bb]+")
HEAD_END_PATTERN = re.compile(
    r" (?:of|for|where|that|who|which|with|in|at|on|to|de|du|von|der|des|di|do|da) "
)
FORMAL_SUBJECT_PATTERN = re.compile(
    r"[Tt]he (?:[a-z][\w/-]* ){1,4}?(?:of|for|where|that|who|which|in|behind"
    r"|(?:played|spoken|practi[sc]ed|followed|used) by) \S"
)
RELATIVE_CLAUSE_PATTERN = re.compile(r"[Tt]he (?:[a-z][\w-]* ){1,6}?(?:where|that|who|which|whose|behind) ")


@dataclass(frozen=True, slots=True)
class Claim:
    """That a subject has a value in a relation: its key names both, and a later value replaces it."""

    key: str
    value: str
    #: It only says that this value no longer holds.
    ends: bool = False
    #: It holds in the place of this value alone: what several have moved from may be a place or a tool.
    left: str = ""


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """A statement without what says that it is new, and whether it says so."""

    text: str
    is_update: bool


@lru_cache(8_192)
def parse_claims(text: str) -> tuple[Claim, ...]:
    """Return what a statement claims."""
    plain = strip_statement(text).text
    own = [Claim(f"{relation}:i", value, ends) for relation, value, ends in find_own_claims(plain)]
    state = (build_claim(relation, who, value) for relation, who, value in find_states(plain))
    return (*own, *state, *_find_claims(plain), *_find_frame(plain))


@lru_cache(8_192)
def strip_statement(text: str) -> PlainStatement:
    """Return a statement without its number, and without words that only say that it is new."""
    plain = SPACES_PATTERN.sub(" ", text[:CLAIM_READ_MAX_CHARS].translate(STRAIGHT_QUOTES_TABLE)).strip()
    for _ in range(3):
        plain = cues.LEAD_PATTERN.sub("", plain, count=1) if cues.LEAD_PATTERN.match(plain) else plain
    plain = cues.NOW_THAT_PATTERN.sub("", plain)
    denial = cues.DENIAL_PATTERN.search(plain)
    said = (plain[: denial.start()] if denial else plain).rstrip(" .!,;")
    is_update = (
        denial is not None or cues.UPDATE_ADVERB_PATTERN.search(text[:CLAIM_READ_MAX_CHARS]) is not None
    )
    return PlainStatement(cues.TIME_ADVERB_PATTERN.sub("", said).rstrip(" .!,;"), is_update)


def _find_claims(plain: str) -> Iterator[Claim]:
    if found := _match_any(
        plain,
        cues.REPLACED_THING_PATTERN,
        cues.CHANGED_THING_PATTERN,
        cues.KEPT_THING_PATTERN,
        cues.NEW_HOLDER_PATTERN,
    ):
        yield from _claim_value(found["thing"], found["value"])
    elif found := _match_any(plain, cues.USUAL_PATTERN, cues.INSTRUCTED_FORM_PATTERN):
        yield build_claim(" ".join(found.groups()[:-1]), "", found["value"])
    elif found := cues.USUAL_LATER_PATTERN.match(plain):
        yield build_claim(found["verb"], "", found["value"] or found["other"])
    elif found := cues.LIKED_WAY_PATTERN.match(plain):
        yield build_claim("way", found["thing"], found["value"])
    elif parts := _split_formal(plain):
        yield from _claim_value(*parts, is_formal=True)
    elif active := find_active_claim(plain):
        yield build_claim(*active)
    elif verbal := list(_find_verbal_claims(plain)):
        yield from verbal
    elif found := cues.CHANGE_PATTERN.search(plain):
        yield from _claim_value(plain[: found.start()], plain[found.end() :])
    elif parts := _split_at_copula(plain):
        yield from _claim_value(*parts)


def _split_formal(plain: str) -> tuple[str, str] | None:
    """Return what a statement names as the attribute of a thing, and its value."""
    had = cues.HAD_ATTRIBUTE_PATTERN.match(plain)
    if had and find_head(had["noun"]) in ATTRIBUTES:
        return f"The {had['noun']} of {had['whose']}", had["value"]
    return _split_at_copula(plain) if FORMAL_SUBJECT_PATTERN.match(plain) else None


def _match_any(plain: str, *patterns: re.Pattern[str]) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := pattern.match(plain))), None)


def _find_frame(plain: str) -> Iterator[Claim]:
    """Yield a statement without its one figure: the same with another figure takes its place."""
    figures = [
        found
        for found in cues.FRAME_FIGURE_PATTERN.finditer(plain)
        if not cues.NUMBERED_THING_PATTERN.search(plain, 0, found.start())
        and not cues.NUMBERED_SUBJECT_PATTERN.fullmatch(plain, 0, found.start())
    ]
    if len(figures) == 1:
        [figure] = figures
        yield build_claim("frame", f"{plain[: figure.start()]}#{plain[figure.end() :]}", figure[0])


def _find_verbal_claims(plain: str) -> Iterator[Claim]:
    """Yield what is said by a verb other than to be."""
    if found := cues.EMPLOYER_END_PATTERN.match(plain):
        yield build_claim("employer", found["who"], found["value"], ends=True)
        return
    if cues.FORMER_PATTERN.search(plain):
        return
    places = [
        (found.start(), -found.end(), relation)
        for kind, pattern in VERB_PATTERNS
        if (found := pattern.search(plain)) and (relation := _name_relation(kind, found))
    ]
    if not places:
        return
    start, end, relation = min(places)
    subject, value = plain[:start], plain[-end:]
    if relation == "place" and (kind := classify_value(value)) == "time":
        relation = kind
    if relation.startswith(
        ("born", "founded", "established", "formed", "created", "released", "built", "died")
    ):
        relation += " figure" if cues.FIGURE_VALUE_PATTERN.match(value) else ""
    claim = build_claim(relation, subject, value)
    moved = (
        cues.PLACE_VERB_PATTERN.search(plain) if relation == "place" and subject.startswith("We") else None
    )
    yield replace(claim, left=normalise_value(moved["left"])) if moved and moved["left"] else claim


def _name_relation(relation: str, found: re.Match[str]) -> str:
    """Return the relation that a verb stands for; empty for one that may have many values."""
    if relation == "typed":
        verb, typed = found["verb"], f"{_bare_verb(found['verb'])} {found['type'].strip()}"
        is_single = typed in RELATION_BY_VERB or not cues.MANY_VALUED_VERB_PATTERN.search(verb)
        return typed if is_single else ""
    return _bare_verb(found["verb"]) if relation == "verb" else relation


def _bare_verb(verb: str) -> str:
    first, _, rest = verb.removeprefix("will ").partition(" ")
    if first in ("is", "was", "are", "were", "has", "had"):
        return rest
    return f"{first.removesuffix('s')} {rest}".strip()


def _split_at_copula(plain: str) -> tuple[str, str] | None:
    """Return what stands before and after the verb that says what something is."""
    found_all = list(cues.STATED_COPULA_PATTERN.finditer(plain)) or cues.FOREIGN_COPULA_PATTERN.finditer(
        plain
    )
    places = [(found.start(), found.end()) for found in found_all]
    if not places:
        return None
    start, end = places[-1] if RELATIVE_CLAUSE_PATTERN.match(plain) else places[0]
    return plain[:start], plain[end:]


def _claim_value(subject: str, value: str, *, is_formal: bool = False) -> Iterator[Claim]:
    """Yield what it is that something is: one of its attributes, its place or time, its age, its holder."""
    if relation := _find_value_relation(subject, value, is_formal=is_formal):
        shown = cues.CALLED_VALUE_PATTERN.sub("", value, count=1)
        yield build_claim(
            relation, f"{subject}'s name" if relation == "is" and shown != value else subject, shown
        )
    if found := cues.SPOUSE_VALUE_PATTERN.match(value):
        yield build_claim("marital", subject, f"married to {found['other']}")
    if (found := cues.ROLE_VALUE_PATTERN.match(value)) and _is_held_by_one(found["role"]):
        yield build_claim("is", found["role"], subject)


def _is_held_by_one(role: str) -> bool:
    """Tell whether a role has one holder: one of its kind, or the one of something with a name."""
    head = find_head(role)
    if head.casefold() in UNIQUE_ROLES or FAVOURITE_PATTERN.search(role):
        return True
    is_of_name = ROLE_OF_NAME_PATTERN.match(role) is not None
    return is_of_name and head.casefold() not in MANY_VALUED_NOUNS


def _find_value_relation(subject: str, value: str, *, is_formal: bool) -> str:
    """Return the relation that a value of this kind stands in; empty where several may hold at once."""
    kind, head = classify_value(value), find_head(subject)
    if kind in ("place", "time", "floor"):
        return "" if subject.casefold() in FIRST_PERSON_SUBJECTS else kind
    if kind == "colour":
        return "is" if FAVOURITE_PATTERN.search(subject) else kind
    is_single = cues.SINGLING_PATTERN.search(subject) or FAVOURITE_PATTERN.search(subject)
    if head in UNIQUE_ROLES and not is_formal:
        is_name = kind in ("name", "called") and not cues.NATIONAL_PATTERN.fullmatch(value)
        return "is" if is_name else ""
    if head in MANY_VALUED_NOUNS and not is_single:
        return "figure" if kind == "figure" else "is" if kind == "called" and head in PET_NOUNS else ""
    if kind == "name" and OWNED_BY_NAME_PATTERN.match(subject):
        return "is"
    return "is" if is_formal or is_single or head in ATTRIBUTES else _find_loose_relation(subject, head, kind)


def _find_loose_relation(subject: str, head: str, kind: str) -> str:
    """Return the relation of a thing that has no one value of its own but in a name, an age, a make."""
    is_person = cues.PERSON_HEAD_PATTERN.search(subject) or head[:1].isupper()
    return "" if kind == "article" and is_person else LOOSE_RELATIONS.get(kind, "")


def classify_value(value: str) -> str:
    """Return what kind of value this is: a time, a place, a figure, a name, one of many, or a word."""
    kind = next((kind for kind, pattern in VALUE_KINDS if pattern.match(value)), "")
    if kind == "place" and " floor" in value:
        return "floor"
    return kind or ("name" if value[:1].isupper() or value[:1] in "\"'" else "word")


def find_head(subject: str) -> str:
    """Return the noun that a subject is about: the capital of Norway is a capital; names stay as they are."""
    owned = subject.rpartition("'s ")[2]
    head = HEAD_END_PATTERN.split(f"{owned} ", maxsplit=1)[0].strip()
    last = head.rpartition(" ")[2]
    return last if last[:1].isupper() and " " not in head else last.casefold()


def build_claim(relation: str, subject: str, value: str, *, ends: bool = False) -> Claim:
    """Return a claim whose key is the same however its relation and its subject are written."""
    name, whose = unify_relation(relation, subject)
    is_spouse = name == "marital" and relation == "is"
    shown = normalise_value(f"married to {value}" if is_spouse else value)
    return Claim(f"{name}:{normalise_subject(whose)}", shown, ends)


def normalise_subject(subject: str) -> str:
    """Return a subject without articles and marks; who speaks is always the same."""
    bare = cues.DETERMINER_PATTERN.sub("", subject.strip()).casefold()
    plain = SPACES_PATTERN.sub(" ", SUBJECT_MARKS_PATTERN.sub("", bare)).strip(" .'")
    if plain in FIRST_PERSON_SUBJECTS:
        return FIRST_PERSON_SUBJECT
    if len(plain) <= CLAIM_SUBJECT_MAX_CHARS:
        return plain
    return f"{plain[:CLAIM_SUBJECT_MAX_CHARS]}#{blake2b(plain.encode(), digest_size=8).hexdigest()}"


def normalise_value(value: str) -> str:
    """Return a value as it is compared."""
    plain = cues.PLACE_VALUE_PATTERN.sub("", value.strip(), count=1)
    plain = SPACES_PATTERN.sub(" ", SUBJECT_MARKS_PATTERN.sub("", plain))
    return cues.DETERMINER_PATTERN.sub("", plain.strip(" .'")).casefold()


ROLE_OF_NAME_PATTERN = re.compile(r"(?:[A-Z]{2,}|[a-z-]+)(?: [a-z-]+)* of (?:the )?[A-Z0-9\"']")
#: "Acme's lead singer": something of somebody or something with a name.
OWNED_BY_NAME_PATTERN = re.compile(r"(?!(?:My|Our|Your|This) |The [a-z])[A-Z].*(?:'s|s') [a-z][a-z -]*$")
LOOSE_RELATIONS = {"called": "is", "figure": "figure", "article": "article"}
PET_NOUNS = frozenset(("dog", "cat", "pet"))
FAVOURITE_PATTERN = re.compile(
    r"\bfavou?rite\b|\bliebling|\bfavorit[oa]\b|\bpréféré|\bpreferit", re.IGNORECASE
)
#: The first that fits counts.
VALUE_KINDS = (
    ("time", cues.TIME_VALUE_PATTERN),
    ("place", cues.PLACE_VALUE_PATTERN),
    ("figure", cues.FIGURE_VALUE_PATTERN),
    ("colour", cues.COLOUR_VALUE_PATTERN),
    ("called", cues.CALLED_VALUE_PATTERN),
    ("article", cues.ARTICLE_VALUE_PATTERN),
)
VERB_PATTERNS = (
    ("typed", cues.TYPED_VALUE_PATTERN),
    ("headquarters", cues.SEAT_PATTERN),
    ("verb", cues.SINGLE_VALUED_VERB_PATTERN),
    ("employer", cues.EMPLOYER_PATTERN),
    ("place", cues.PLACE_VERB_PATTERN),
)
