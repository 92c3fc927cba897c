"""Notes that go with what is quoted: what was said later that may take it back.

A message from an earlier round, or from another conversation of the project, may be quoted long after it
was taken back: then the later words stand beside it, and who reads both can tell what holds.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from tertulia.conversations.first_person import is_own_matter
from tertulia.conversations.message_visibility import Branch
from tertulia.conversations.reversal_index import ReversalIndex
from tertulia.conversations.reversal_sentences import is_taken_back, parse_reversal, statements_of
from tertulia.conversations.reversals import Reversal, filter_counting_reversals, list_reversals
from tertulia.infra.db import Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.sources import SourceKind

K = TypeVar("K")

#: So many reversals go with one quotation, the latest.
REVERSAL_NOTES_MAX = 3


@dataclass(frozen=True, slots=True)
class Quotation:
    """Something that is about to be quoted, and where and when it was said."""

    text: str
    message_id: str
    conversation_id: str
    round_number: int
    said_at: datetime
    #: The person who said it; empty for a reply.
    author_id: str = ""


@dataclass(frozen=True, slots=True)
class ReversalNote:
    """What is to be said beside a quotation: later words, where they were said and by whom."""

    place: str
    text: str
    author_id: str


def note_candidates(
    tx: Tx, found: Sequence[Candidate], *, authors: Mapping[str, str], branch: Branch | None
) -> dict[int, tuple[ReversalNote, ...]]:
    """Return the notes that go with messages which search found, by their chunks.

    `authors` are the people who wrote those messages.
    """
    said = [candidate for candidate in found if candidate.kind is SourceKind.MESSAGE]
    return note_quotations(
        tx,
        {
            candidate.chunk: to_quotation(candidate, authors.get(candidate.source_id, ""))
            for candidate in said
        },
        project_ids={candidate.project_id for candidate in said if candidate.project_id},
        branch=branch,
    )


def note_quotations(
    tx: Tx, quotations: Mapping[K, Quotation], *, project_ids: Collection[str] = (), branch: Branch | None
) -> dict[K, tuple[ReversalNote, ...]]:
    """Return the notes that go with quotations, by their keys; those without a note are not among them."""
    here = {quotation.conversation_id for quotation in quotations.values()} - {""}
    index = ReversalIndex.of(list_reversals(tx, here, project_ids=project_ids))
    matching = {key: find_matching(quotation, index) for key, quotation in quotations.items()}
    # Whether something counts takes long to find out: only what takes something back is asked about.
    likely = {id(reversal) for taken in matching.values() for reversal in taken}
    counting = ReversalIndex.of(
        filter_counting_reversals(
            tx, [reversal for reversal in index.reversals if id(reversal) in likely], branch=branch
        )
    )
    noted = {key: note_reversals(quotations[key], counting) for key, taken in matching.items() if taken}
    return {key: notes for key, notes in noted.items() if notes}


def to_quotation(candidate: Candidate, author_id: str) -> Quotation:
    """Return what search found as a quotation."""
    return Quotation(
        candidate.content,
        candidate.source_id,
        candidate.conversation_id or "",
        candidate.round_number or 0,
        candidate.said_at,
        author_id,
    )


def note_reversals(quotation: Quotation, index: ReversalIndex) -> tuple[ReversalNote, ...]:
    """Return what is to be said beside a quotation: what may take it back, and where that was said."""
    taken = find_matching(quotation, index)[-REVERSAL_NOTES_MAX:]
    return tuple(_note(reversal, quotation) for reversal in taken)


def write_notes(notes: Sequence[ReversalNote], names: Mapping[str, str]) -> str:
    """Return notes as they are shown, under the names of those who have one."""
    return " ".join(
        f"[Later, {', '.join(filter(None, (note.place, names.get(note.author_id))))}: {note.text}]"
        for note in notes
    )


def find_matching(quotation: Quotation, index: ReversalIndex) -> list[Reversal]:
    """Return what takes back a sentence of a quotation, and what takes that back in turn, oldest first."""
    near: dict[int, list[tuple[str, str]]] = {}

    def add_sentence(text: str, author_id: str) -> None:
        for place in index.find_near(text):
            near.setdefault(place, []).append((text, author_id))

    for sentence in statements_of(quotation.text):
        add_sentence(sentence, quotation.author_id)
    taken: list[Reversal] = []
    for place, reversal in enumerate(index.reversals):
        said = near.get(place, ())
        if said and is_later(reversal, quotation) and any(is_revised(*one, reversal) for one in said):
            taken.append(reversal)
            add_sentence(reversal.text, reversal.author_id)
    return taken


def is_revised(statement: str, author_id: str, reversal: Reversal) -> bool:
    """Tell whether a sentence may be taken back by a later one; what is one's own, by oneself alone."""
    is_by_other = author_id not in ("", reversal.author_id)
    if is_by_other and is_own_matter(statement, reversal.text):
        return False
    return is_taken_back(statement, reversal.text)


def is_later(reversal: Reversal, quotation: Quotation) -> bool:
    """Tell whether something was said after a quotation; elsewhere, only what says what it takes back."""
    if reversal.message_id == quotation.message_id:
        return False
    if reversal.conversation_id == quotation.conversation_id:
        return reversal.round_number >= quotation.round_number
    return reversal.said_at > quotation.said_at and parse_reversal(reversal.text).is_explicit


def _note(reversal: Reversal, quotation: Quotation) -> ReversalNote:
    place = (
        f"in round {reversal.round_number}"
        if reversal.conversation_id == quotation.conversation_id
        else f"in another conversation on {reversal.said_at.date().isoformat()}"
    )
    said = "something else was said" if reversal.local_only else reversal.text
    return ReversalNote(place, said, reversal.author_id)
