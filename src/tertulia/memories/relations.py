"""Relations under one name: "the author of it is", "its author is", "it was written by" say the same."""

import re

from tertulia.memories.relation_names import (
    PLACE_TYPES,
    RELATION_BY_ACTIVE_VERB,
    RELATION_BY_CLAUSE_VERB,
    RELATION_BY_NOUN,
    RELATION_BY_VERB,
    TYPED_RELATIONS,
)

#: What may stand before the noun of "the name of the current head of state in Norway".
NOUN_LEAD_PATTERN = re.compile(r"(?:[Tt]he )?(?:name of the )?(?:(?:current|present|new) )?")
NOUN_END_PATTERN = re.compile(r" (?:of|in|for|at) (?=\S)")
#: Words of a noun that names a relation.
NOUN_MAX_WORDS = 4
GOVERNMENT_PATTERN = re.compile(
    r"(?:[Tt]he )?(?:name of the )?(?:current )?head of the (?P<whose>[A-Z].*) government$"
)
OWNED_NOUN_PATTERN = re.compile(r"(?P<whose>.+?)(?:'s|(?<=s)') (?:current |new )?(?P<noun>[a-z][a-z -]*)$")
#: "The company that produced it", "the sport that she plays", "the sport played by her".
CLAUSE_PATTERN = re.compile(
    r"(?:[Tt]he )(?P<noun>[a-z]+(?: [a-z]+){0,2}?) (?:(?:in |at |for )?(?:that|which|where|who|whom)|behind) "
    r"(?:(?P<active>[a-z]+) (?P<object>[A-Z0-9\"'].*)|(?P<whose>\S.*?) (?P<verb>[a-z]+(?: [a-z]+)?))$"
)
REDUCED_CLAUSE_PATTERN = re.compile(
    r"(?:[Tt]he )(?P<noun>[a-z]+(?: [a-z]+){0,2}?) (?:played|spoken|practi[sc]ed|followed|used) by "
    r"(?P<whose>\S.*)$"
)
#: "Ada wrote The Salt Road": only names do, and are done to.
ACTIVE_PATTERN = re.compile(
    rf"(?P<value>[A-Z][^,;:]*?) (?P<verb>{'|'.join(sorted(RELATION_BY_ACTIVE_VERB))})"
    r" (?:the (?:[a-z]+ ){1,2})?(?P<whose>(?!(?:I|My|Our)\b)[A-Z0-9\"'].*?)(?: in \d{4})?$"
)
OWN_NOUN_PATTERN = re.compile(r"[Mm]y (?:current |new )?(?P<noun>[a-z][a-z -]*)$")
#: Relations in which the subject itself may name what is told: "the headquarters of Acme are in Oslo".
NOUN_RELATIONS = frozenset(("is", "place", "located in", "located in city"))
NAMED_NOUN_PATTERN = re.compile(
    r"(?:[Tt]he )?(?P<noun>[a-z][a-z -]*?) (?:of|in|for|at) (?P<whose>(?:the )?[A-Z0-9\"'].*)$"
)
AGENT_PATTERN = re.compile(r"(?P<stem>[a-z]{3,})[eo]r")
PASSIVE_PATTERN = re.compile(r"(?P<stem>[a-z]{3,})ed by")
SEAT_RELATIONS = frozenset(("headquarters", "place"))
ADVERB_PATTERN = re.compile(r"\b[a-z]+ly ")


def unify_relation(relation: str, subject: str) -> tuple[str, str]:
    """Return a relation and its subject as they are called however they were said."""
    if relation not in NOUN_RELATIONS:
        return name_verb_relation(relation), subject
    named = _split_noun(subject) or _split_owned_noun(subject) or _name_clause(subject)
    if named and (relation == "is" or named[0] in SEAT_RELATIONS):
        return named
    if relation == "is" and (told := OWNED_NOUN_PATTERN.match(subject) or NAMED_NOUN_PATTERN.match(subject)):
        return f"is {name_agent(told['noun'])}", told["whose"]
    return name_verb_relation(relation), subject


def _split_noun(subject: str) -> tuple[str, str] | None:
    """Return the relation that a subject names before "of", and of whom: the longest that is known counts."""
    if found := GOVERNMENT_PATTERN.match(subject):
        return "head of government", found["whose"]
    lead = NOUN_LEAD_PATTERN.match(subject)
    rest = subject[lead.end() :] if lead else subject
    ends = [(found.start(), found.end()) for found in NOUN_END_PATTERN.finditer(rest)]
    for end, begin in reversed(ends[:NOUN_MAX_WORDS]):
        noun = rest[:end]
        known = RELATION_BY_NOUN.get(noun.casefold() if noun.isupper() else noun)
        if known:
            return known, rest[begin:]
    return None


def _split_owned_noun(subject: str) -> tuple[str, str] | None:
    """Return the same of "Ada's employer" and "my employer"."""
    if (owned := OWNED_NOUN_PATTERN.match(subject)) and (known := RELATION_BY_NOUN.get(owned["noun"])):
        return known, owned["whose"]
    if (own := OWN_NOUN_PATTERN.match(subject)) and (known := RELATION_BY_NOUN.get(own["noun"])):
        return known, "I"
    return None


def name_verb_relation(verb: str) -> str:
    """Return what a verb phrase stands for, with or without what its value is."""
    plain = ADVERB_PATTERN.sub("", verb)
    rest, _, type_ = plain.rpartition(" ")
    if type_ in TYPED_RELATIONS and rest:
        return RELATION_BY_NOUN.get(type_, type_)
    if type_ in PLACE_TYPES and rest:
        plain = rest
    if done_by := PASSIVE_PATTERN.fullmatch(plain):
        return RELATION_BY_VERB.get(plain, f"is {done_by['stem']}")
    return RELATION_BY_VERB.get(plain, plain)


def name_agent(noun: str) -> str:
    """Return a noun such that whoever does something is called as it is: the narrator, and narrated by."""
    agent = AGENT_PATTERN.fullmatch(noun)
    return agent["stem"] if agent else noun


def find_active_claim(plain: str) -> tuple[str, str, str] | None:
    """Return relation, subject and value of a statement such as "Ada wrote The Salt Road"."""
    if found := ACTIVE_PATTERN.match(plain):
        return RELATION_BY_ACTIVE_VERB[found["verb"]], found["whose"], found["value"]
    return None


def _name_clause(subject: str) -> tuple[str, str] | None:
    """Return what a subject with a clause asks for: "the university where Ada was educated"."""
    if found := REDUCED_CLAUSE_PATTERN.match(subject):
        return RELATION_BY_NOUN.get(found["noun"], found["noun"]), found["whose"]
    found = CLAUSE_PATTERN.match(subject)
    if found is None:
        return None
    if active := RELATION_BY_ACTIVE_VERB.get(found["active"] or ""):
        return active, found["object"]
    if found["whose"] is None:
        return None
    relation = RELATION_BY_CLAUSE_VERB.get(found["verb"]) or RELATION_BY_NOUN.get(found["noun"])
    return (relation, found["whose"]) if relation else None
