"""From the hits of searches to passages: those that have to do with a question and may be quoted here."""

from collections.abc import Sequence
from itertools import zip_longest

from tertulia.context.domain import RecalledPassage
from tertulia.context.message_evidence import has_figure_or_name, is_evidence
from tertulia.conversations import marks, rounds
from tertulia.conversations.domain import Mark, Passage
from tertulia.conversations.message_visibility import Branch, find_hidden_messages
from tertulia.conversations.reversal_notes import note_candidates
from tertulia.core.clock import now
from tertulia.files import access as file_access
from tertulia.files.attachments import find_ids_in_conversation
from tertulia.infra.db import Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.query_words import QueryWords
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search_query import SearchResult
from tertulia.retrieval.sources import SourceKind

#: What scores less than this share of the best is not worth its tokens.
RECALL_MIN_SCORE_SHARE = 0.4
#: A passage has to do with a question when its meaning is so much alike, or it has such a share of its words.
RECALL_MIN_SIMILARITY = 0.35
RECALL_MIN_COVERAGE = 0.5


def select_useful_hits(
    results: Sequence[SearchResult], texts: Sequence[str], round_id: str | None
) -> list[SearchHit]:
    """Return the hits of all searches that may help with their question, the best first."""
    return interleave_hits(
        [
            filter_useful(drop_current_round(result.hits, round_id), asked_words(text))
            for result, text in zip(results, texts, strict=True)
        ]
    )


def asked_words(text: str) -> QueryWords:
    """Return the words that a question looks for."""
    return QueryWords.of(parse_query(text, today=now()))


def drop_current_round(hits: Sequence[SearchHit], round_id: str | None) -> list[SearchHit]:
    """Return the hits that are not of the round itself."""
    return [hit for hit in hits if not round_id or hit.candidate.round_id != round_id]


def interleave_hits(lists: Sequence[Sequence[SearchHit]]) -> list[SearchHit]:
    """Return the best of each list, then the second of each, and so on; each passage once."""
    once: dict[tuple[str, int], SearchHit] = {}
    for hit in (hit for rank in zip_longest(*lists) for hit in rank if hit is not None):
        once.setdefault((hit.candidate.source_id, hit.candidate.start_char), hit)
    return list(once.values())


def filter_useful(hits: Sequence[SearchHit], asked: QueryWords) -> list[SearchHit]:
    """Return the hits that may answer a question and are not far worse than the best of their kind."""
    useful = [hit for hit in hits if is_relevant(hit) and may_answer(hit, asked)]
    best: dict[SourceKind, float] = {}
    for hit in useful:
        best[hit.candidate.kind] = max(hit.score, best.get(hit.candidate.kind, 0.0))
    return [hit for hit in useful if hit.score >= RECALL_MIN_SCORE_SHARE * best[hit.candidate.kind]]


def is_relevant(hit: SearchHit) -> bool:
    """Tell whether a hit has to do with the question at all: something is always the nearest."""
    signals = hit.signals
    return (
        signals.alike >= RECALL_MIN_SIMILARITY or signals.coverage >= RECALL_MIN_COVERAGE or signals.names > 0
    )


def may_answer(hit: SearchHit, asked: QueryWords) -> bool:
    """Tell whether a hit can be evidence: a file, or a message that states something to the matter itself."""
    candidate = hit.candidate
    return candidate.kind is SourceKind.FILE or (
        is_evidence(candidate.content) and speaks_for_itself(hit, asked)
    )


def speaks_for_itself(hit: SearchHit, asked: QueryWords) -> bool:
    """Tell whether a message is not found by the title and the question before it alone.

    The answer to the same question may have none of its words, but has a figure or a name.
    """
    content, coverage = hit.candidate.content, hit.signals.coverage
    if coverage == 0 or any(asked.match_in(content)):
        return True
    return coverage >= RECALL_MIN_COVERAGE and has_figure_or_name(content)


def to_recalled_passages(tx: Tx, hits: list[SearchHit], here: Branch | None) -> tuple[RecalledPassage, ...]:
    """Return hits as passages, with who said them and which of them only local models may see.

    What a person left out is not among them, nor what stands on another branch or was passed over, nor
    what is attached to another conversation.
    """
    hits = drop_foreign_files(tx, hits, here)
    if not hits:
        return ()
    files = [hit.candidate.source_id for hit in hits if hit.candidate.kind is SourceKind.FILE]
    messages = [hit.candidate.source_id for hit in hits if hit.candidate.kind is SourceKind.MESSAGE]
    marked = marks.find_marks(tx, messages)
    hidden = file_access.filter_local_only(tx, files) | {
        id_ for id_, own in marked.items() if Mark.LOCAL_ONLY in own
    }
    gone = find_hidden_messages(tx, messages, branch=here)
    said = [
        hit.candidate.source_id
        for hit in hits
        if here and hit.candidate.conversation_id == here.conversation_id
    ]
    lanes = rounds.find_lanes(tx, said) if said else {}
    notes = note_candidates(tx, [hit.candidate for hit in hits], branch=here)
    return tuple(
        to_recalled_passage(
            hit.candidate,
            local_only=hit.candidate.source_id in hidden,
            lane=lanes.get(hit.candidate.source_id, ""),
            note=notes.get(hit.candidate.chunk, ""),
        )
        for hit in hits
        if hit.candidate.source_id not in gone
    )


def drop_foreign_files(tx: Tx, hits: list[SearchHit], here: Branch | None) -> list[SearchHit]:
    """Return the hits without files that their paths do not mean here: attachments of other conversations."""
    files = [hit.candidate for hit in hits if hit.candidate.kind is SourceKind.FILE]
    meant = find_ids_in_conversation(
        tx, here.conversation_id if here else None, {(file.project_id, file.path) for file in files}
    )
    foreign = {file.source_id for file in files if meant.get((file.project_id, file.path)) != file.source_id}
    return [hit for hit in hits if hit.candidate.source_id not in foreign]


def to_recalled_passage(one: Candidate, *, local_only: bool, lane: str, note: str = "") -> RecalledPassage:
    """Return what was found as a passage."""
    passage = Passage(
        number=0,
        kind=one.kind,
        source_id=one.source_id,
        project_id=one.project_id,
        start_char=one.start_char,
        end_char=one.end_char,
        tokens=one.tokens,
        path=one.path,
        start_line=one.start_line,
        end_line=one.end_line,
        heading=one.context if one.kind is SourceKind.FILE else "",
        title=one.title or "",
        conversation_id=one.conversation_id,
        round_id=one.round_id,
        round_number=one.round_number or 0,
        speaker=one.speaker,
    )
    return RecalledPassage(
        passage,
        one.content,
        said_on=one.said_at.date().isoformat(),
        summary=one.summary,
        note=note,
        lane=lane,
        local_only=local_only,
    )
