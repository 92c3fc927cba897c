"""Notes that go with what is quoted: what was said later that may take it back.

A message from an earlier round, or from another conversation of the project, may be quoted long after it
was taken back: then the later words stand beside it, and who reads both can tell what holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tertulia.conversations.message_visibility import Branch
from tertulia.conversations.reversal_sentences import is_taken_back, parse_reversal, statements_of
from tertulia.conversations.reversals import Reversal, list_reversals
from tertulia.infra.db import Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.sources import SourceKind

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


def note_candidates(tx: Tx, found: Sequence[Candidate], *, branch: Branch | None) -> dict[int, str]:
    """Return the notes to be shown beside messages that search found, by their chunks."""
    said = [candidate for candidate in found if candidate.kind is SourceKind.MESSAGE]
    reversals = list_reversals(
        tx,
        {candidate.conversation_id for candidate in said if candidate.conversation_id},
        project_ids={candidate.project_id for candidate in said if candidate.project_id},
        branch=branch,
    )
    if not reversals:
        return {}
    notes = {candidate.chunk: note_reversals(to_quotation(candidate), reversals) for candidate in said}
    return {chunk: note for chunk, note in notes.items() if note}


def to_quotation(candidate: Candidate) -> Quotation:
    """Return what search found as a quotation."""
    return Quotation(
        candidate.content,
        candidate.source_id,
        candidate.conversation_id or "",
        candidate.round_number or 0,
        candidate.said_at,
    )


def note_reversals(quotation: Quotation, reversals: Sequence[Reversal]) -> str:
    """Return what is to be said beside a quotation: what may take it back, and where that was said."""
    taken = find_matching(quotation, reversals)[-REVERSAL_NOTES_MAX:]
    return " ".join(_note(reversal, quotation) for reversal in taken)


def find_matching(quotation: Quotation, reversals: Sequence[Reversal]) -> list[Reversal]:
    """Return what takes back a sentence of a quotation, and what takes that back in turn, oldest first."""
    sentences = list(statements_of(quotation.text))
    taken: list[Reversal] = []
    for reversal in reversals:
        if is_later(reversal, quotation) and any(is_taken_back(said, reversal.text) for said in sentences):
            taken.append(reversal)
            sentences.append(reversal.text)
    return taken


def is_later(reversal: Reversal, quotation: Quotation) -> bool:
    """Tell whether something was said after a quotation; elsewhere, only what says what it takes back."""
    if reversal.message_id == quotation.message_id:
        return False
    if reversal.conversation_id == quotation.conversation_id:
        return reversal.round_number >= quotation.round_number
    return reversal.said_at > quotation.said_at and parse_reversal(reversal.text).is_explicit


def _note(reversal: Reversal, quotation: Quotation) -> str:
    place = (
        f"in round {reversal.round_number}"
        if reversal.conversation_id == quotation.conversation_id
        else f"in another conversation on {reversal.said_at.date().isoformat()}"
    )
    said = "something else was said" if reversal.local_only else reversal.text
    return f"[Later, {place}: {said}]"
