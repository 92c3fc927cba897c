"""Memories that others lead to: who asks for the employer of an author needs what is known of the author."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tertulia.infra.db import Tx
from tertulia.memories import store
from tertulia.memories.claims import FIRST_PERSON_SUBJECT, normalise_subject, parse_claims
from tertulia.memories.domain import Memory
from tertulia.retrieval.statement_stems import find_stems

#: Of what a question needs, so many lead on, and to so many others in each step.
LEADING_MEMORIES_MAX = 12
LINKED_MEMORIES_MAX = 14
LINK_STEPS = 2
#: Memories about what a question names, and words of a name that are looked up.
NAMED_MEMORIES_MAX = 16
NAME_MAX_WORDS = 9
QUESTION_READ_MAX_CHARS = 2_000
QUESTION_NAMES_MAX = 200
#: What names of companies end in, in small letters.
SMALL_NAME_ENDS = frozenset(("plc", "gmbh", "inc", "ltd", "llc", "ag", "nv", "bv", "jr", "sr"))
NAME_WORD_PATTERN = re.compile(r"[^\s,;:?!\"()\u201c\u201d]+")
#: What a person calls theirs: its noun is one of the next words.
OWN_THING_PATTERN = re.compile(r"\b(?:my|our) (?P<thing>[\w'-]+(?: [\w'-]+){0,3})", re.IGNORECASE)
POSSESSIVE_PATTERN = re.compile(r"(?:'s|\u2019s|'|\u2019|\.)$")
SUBJECT_WORD_PREFIX = "about:"
SPOUSE_VALUE_PREFIX = "married to "


@lru_cache(8_192)
def subject_words(content: str) -> frozenset[str]:
    """Return the words by which a statement is looked up as one about a thing with a name."""
    return frozenset(to_subject_word(subject) for subject in _list_subjects(content))


def list_named(tx: Tx, question: str, *, project_id: str | None) -> list[Memory]:
    """Return what is known of the things that a question names, what is said in its words first.

    Search finds most of it; it does not find what was remembered a moment ago, or a name of common words.
    """
    words = [to_subject_word(name) for name in find_question_names(question)]
    near = _list_about(tx, words, project_id=project_id) if words else []
    asked = find_stems(question[:QUESTION_READ_MAX_CHARS])
    ranked = sorted(near, key=lambda memory: (-len(asked & find_stems(memory.content)), memory.id))
    return ranked[:NAMED_MEMORIES_MAX]


def find_question_names(question: str) -> list[str]:
    """Return the names that may stand in a question, as subjects are written, and what is called its own."""
    return list(dict.fromkeys((*_find_own_things(question), *_find_capitals(question))))[:QUESTION_NAMES_MAX]


def _find_own_things(question: str) -> list[str]:
    """Return what may be meant by "my new bike lock", the shortest first."""
    read = question[:QUESTION_READ_MAX_CHARS]
    said = [found["thing"].split() for found in OWN_THING_PATTERN.finditer(read)]
    return [
        normalise_subject(POSSESSIVE_PATTERN.sub("", " ".join(words[:length])))
        for words in said
        for length in range(1, len(words) + 1)
    ]


def _find_capitals(question: str) -> list[str]:
    """Return what stands from capital to capital."""
    tokens = NAME_WORD_PATTERN.findall(question[:QUESTION_READ_MAX_CHARS])
    return [
        normalise_subject(POSSESSIVE_PATTERN.sub("", " ".join(tokens[start : start + length])))
        for start in range(len(tokens))
        if _starts_name(tokens, start)
        for length in range(1, NAME_MAX_WORDS + 1)
        if start + length <= len(tokens) and _ends_name(tokens[start + length - 1])
    ]


def _starts_name(tokens: Sequence[str], start: int) -> bool:
    """Tell whether a name may begin at a word: one with a capital, or the article before such a one."""
    has_article = tokens[start].casefold() == "the" and start + 1 < len(tokens)
    return _is_name_word(tokens[start]) or (has_article and _is_name_word(tokens[start + 1]))


def _ends_name(token: str) -> bool:
    return _is_name_word(token) or token.rstrip(".") in SMALL_NAME_ENDS


def _is_name_word(token: str) -> bool:
    """Tell whether a word may be one of a name: "d'Aubigné" and "al-Basri" have their capital inside."""
    return not token[0].islower() or token != token.lower()


def list_linked(tx: Tx, leading: Sequence[Memory], *, project_id: str | None) -> list[Memory]:
    """Return what is known of the things that memories name, then of the things that that names."""
    found: dict[str, Memory] = {}
    known, step = {memory.id for memory in leading}, list(leading[:LEADING_MEMORIES_MAX])
    for _ in range(LINK_STEPS):
        words = _list_link_words([memory.content for memory in step])
        near = _list_about(tx, words, project_id=project_id) if words else []
        step = [memory for memory in near if memory.id not in found.keys() | known][:LINKED_MEMORIES_MAX]
        found |= {memory.id: memory for memory in step}
    return list(found.values())


def _list_about(tx: Tx, words: Sequence[str], *, project_id: str | None) -> list[Memory]:
    """Return memories about some things, those about the first first."""
    owners = [(tx.by.user_id, None), *([(None, project_id)] if project_id else [])]
    near = [
        memory
        for owner_id, project in owners
        for memory in store.list_with_words(tx, words, owner_id=owner_id, project_id=project)
    ]
    ranks = {word: rank for rank, word in enumerate(words)}
    visible = {memory.id for memory in store.find_many(tx, [memory.id for memory in near])}
    return sorted(
        (memory for memory in near if memory.id in visible),
        key=lambda memory: min(
            (ranks.get(word, len(ranks)) for word in subject_words(memory.content)), default=len(ranks)
        ),
    )


def _list_link_words(contents: Sequence[str]) -> list[str]:
    """Return the words of the things that statements lead to: what they say, then what they are about."""
    values = [
        claim.value.removeprefix(SPOUSE_VALUE_PREFIX)
        for content in contents
        for claim in parse_claims(content)
    ]
    subjects = [subject for content in contents for subject in _list_subjects(content)]
    return list(dict.fromkeys(map(to_subject_word, (*values, *subjects))))


def _list_subjects(content: str) -> list[str]:
    named = [claim.key.partition(":") for claim in parse_claims(content)]
    return [who for relation, _, who in named if relation != "frame" and who != FIRST_PERSON_SUBJECT]


def to_subject_word(subject: str) -> str:
    """Return the word of a thing."""
    return f"{SUBJECT_WORD_PREFIX}{subject}"
