"""From the hits of searches to passages: those that have to do with a question and may be quoted here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tertulia.context.domain import RecalledPassage
from tertulia.context.match_hints import match_hint
from tertulia.context.message_evidence import has_figure_or_name, is_evidence, states_matter
from tertulia.conversations import marks
from tertulia.conversations.conversation_labels import ConversationLabel, find_labels
from tertulia.conversations.domain import USER_SPEAKER, Mark, Passage
from tertulia.conversations.message_origins import MessageOrigin, find_origins
from tertulia.conversations.message_visibility import Branch, find_hidden_messages
from tertulia.conversations.reversal_notes import ReversalNote, note_candidates
from tertulia.core.clock import now
from tertulia.files.attachments import find_ids_in_conversation
from tertulia.files.citations import CitedFile, find_cited_files
from tertulia.infra.db import Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.query_expansion import fuse_hits
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
#: Where its meaning is not known, words alone have to tell: such a share of them, matching nearly as well.
RECALL_BY_WORDS_MIN_COVERAGE = 0.25
RECALL_BY_WORDS_MIN_LEXICAL = 0.4


def select_useful_hits(
    results: Sequence[SearchResult], texts: Sequence[str], round_id: str | None, *, own: int
) -> list[SearchHit]:
    """Return the hits of all searches that may help with their question, the best first.

    The first `own` are the question's, by itself and after the one before it; the others expand it.
    """
    useful = [
        filter_useful(drop_current_round(result.hits, round_id), asked_words(text))
        for result, text in zip(results, texts, strict=True)
    ]
    return fuse_hits([interleave_hits(useful[:own]), *useful[own:]])


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
    if signals.alike == 0 and signals.lexical >= RECALL_BY_WORDS_MIN_LEXICAL:
        return signals.coverage >= RECALL_BY_WORDS_MIN_COVERAGE
    return (
        signals.alike >= RECALL_MIN_SIMILARITY or signals.coverage >= RECALL_MIN_COVERAGE or signals.names > 0
    )


def may_answer(hit: SearchHit, asked: QueryWords) -> bool:
    """Tell whether a hit can be evidence: a file, or a message that states something to the matter itself."""
    candidate = hit.candidate
    if candidate.kind is SourceKind.FILE:
        return True
    if not is_evidence(candidate.content) or not speaks_for_itself(hit, asked):
        return False
    return candidate.speaker != USER_SPEAKER or states_matter(candidate.content, asked)


def speaks_for_itself(hit: SearchHit, asked: QueryWords) -> bool:
    """Tell whether a message is not found by the title and the question before it alone.

    The answer to the same question may have none of its words, but has a figure or a name.
    """
    content, coverage = hit.candidate.content, hit.signals.coverage
    if coverage == 0 or any(asked.match_in(content)):
        return True
    return coverage >= RECALL_MIN_COVERAGE and has_figure_or_name(content)


@dataclass(frozen=True, slots=True)
class RecallPlace:
    """Where a question is asked: in which project, and on which branch of a conversation."""

    project_id: str | None
    branch: Branch | None

    @property
    def conversation_id(self) -> str | None:
        """Return the conversation at hand."""
        return self.branch.conversation_id if self.branch else None


@dataclass(frozen=True, slots=True)
class PassageSources:
    """What is told of the files and conversations that passages stand in."""

    place: RecallPlace
    files: dict[str, CitedFile]
    labels: dict[str, ConversationLabel]
    #: Who said what was said.
    origins: dict[str, MessageOrigin]
    #: Messages that only local models may see.
    local_messages: frozenset[str]
    #: That something was taken back later, by its chunk.
    notes: dict[int, tuple[ReversalNote, ...]]

    @classmethod
    def read(cls, tx: Tx, candidates: Sequence[Candidate], place: RecallPlace) -> "PassageSources":
        """Look up what is told of the sources of some candidates."""
        files = [candidate.source_id for candidate in candidates if candidate.kind is SourceKind.FILE]
        talk = [candidate for candidate in candidates if candidate.kind is SourceKind.MESSAGE]
        elsewhere = {message.conversation_id for message in talk} - {place.conversation_id}
        ids = [message.source_id for message in talk]
        marked = marks.find_marks(tx, ids) if talk else {}
        origins = find_origins(tx, ids) if talk else {}
        authors = {id_: origin.author_id for id_, origin in origins.items()}
        return cls(
            place,
            find_cited_files(tx, files),
            find_labels(tx, filter(None, elsewhere)) if elsewhere else {},
            origins,
            frozenset(id_ for id_, own in marked.items() if Mark.LOCAL_ONLY in own),
            note_candidates(tx, talk, authors=authors, branch=place.branch),
        )


def to_recalled_passages(
    tx: Tx, hits: list[SearchHit], texts: Sequence[str], place: RecallPlace
) -> tuple[RecalledPassage, ...]:
    """Return hits as passages, with what is told of their sources and which only local models may see.

    What a person left out is not among them, nor what stands on another branch or was passed over, nor
    what is attached to another conversation.
    """
    hits = drop_foreign_files(tx, hits, place.branch)
    messages = [hit.candidate.source_id for hit in hits if hit.candidate.kind is SourceKind.MESSAGE]
    gone = find_hidden_messages(tx, messages, branch=place.branch) if messages else frozenset[str]()
    candidates = [hit.candidate for hit in hits if hit.candidate.source_id not in gone]
    if not candidates:
        return ()
    sources, asked = PassageSources.read(tx, candidates, place), asked_words("\n".join(texts))
    return tuple(
        to_file_passage(candidate, sources, asked)
        if candidate.kind is SourceKind.FILE
        else to_message_passage(candidate, sources)
        for candidate in candidates
    )


def drop_foreign_files(tx: Tx, hits: list[SearchHit], here: Branch | None) -> list[SearchHit]:
    """Return the hits without files that their paths do not mean here: attachments of other conversations."""
    files = [hit.candidate for hit in hits if hit.candidate.kind is SourceKind.FILE]
    meant = find_ids_in_conversation(
        tx, here.conversation_id if here else None, {(file.project_id, file.path) for file in files}
    )
    foreign = {file.source_id for file in files if meant.get((file.project_id, file.path)) != file.source_id}
    return [hit for hit in hits if hit.candidate.source_id not in foreign]


def to_file_passage(candidate: Candidate, sources: PassageSources, asked: QueryWords) -> RecalledPassage:
    """Return a passage of a file, with its page and what of it meets the question."""
    file = sources.files.get(candidate.source_id)
    # What another project has, search finds, but no tool reads it by its path.
    is_at_hand = candidate.conversation_id is not None or candidate.project_id == sources.place.project_id
    return RecalledPassage(
        replace(
            to_passage(candidate),
            path=candidate.path,
            page=file.page_label(candidate.start_line, candidate.end_line) if file else "",
            heading=candidate.context,
        ),
        candidate.content,
        said_on=candidate.said_at.date().isoformat(),
        hint=match_hint(candidate, asked),
        local_only=file is not None and file.local_only,
        is_readable=file is not None and file.tool_accessible and is_at_hand,
    )


def to_message_passage(candidate: Candidate, sources: PassageSources) -> RecalledPassage:
    """Return a passage of talk, with what its conversation is called and who said it."""
    is_here = candidate.conversation_id == sources.place.conversation_id
    origin = sources.origins.get(candidate.source_id)
    return RecalledPassage(
        replace(
            to_passage(candidate),
            title=candidate.title or "",
            round_id=candidate.round_id,
            round_number=candidate.round_number or 0,
            speaker=candidate.speaker,
        ),
        candidate.content,
        said_on=candidate.said_at.date().isoformat(),
        hint=candidate.hint,
        author_id=origin.author_id if origin else "",
        reversals=sources.notes.get(candidate.chunk, ()),
        conversation=sources.labels.get(candidate.conversation_id or ""),
        is_here=is_here,
        lane=(origin.lane or "") if origin and is_here else "",
        local_only=candidate.source_id in sources.local_messages,
    )


def to_passage(candidate: Candidate) -> Passage:
    """Return where in its source a passage stands."""
    return Passage(
        number=0,
        kind=candidate.kind,
        source_id=candidate.source_id,
        project_id=candidate.project_id,
        conversation_id=candidate.conversation_id,
        start_char=candidate.start_char,
        end_char=candidate.end_char,
        tokens=candidate.tokens,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
    )
