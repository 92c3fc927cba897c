"""What can be found, and what of it is still to be indexed: both are one table."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tertulia.infra.db import Tx, bound_list

#: Whoever looks sees what every member may see, and what is their own.
VISIBLE_SOURCES_SQL = "s.workspace_id = :workspace AND (s.owner_id IS NULL OR s.owner_id = :me)"


class SourceKind(StrEnum):
    """What can be found."""

    FILE = "file"
    MESSAGE = "message"
    #: A version of a conversation's summary, with the points that it was the first to tell.
    SUMMARY = "summary"
    #: Something that is remembered of a person or a project.
    MEMORY = "memory"
    #: Something that people want to do.
    TASK = "task"


ALL_SOURCE_KINDS = frozenset(SourceKind)
#: Kinds whose vectors lie apart from those of all others.
BANKS_APART = frozenset({SourceKind.SUMMARY, SourceKind.MEMORY, SourceKind.TASK})
#: What models are quoted: points of a summary are told by the rules of their own conversation alone.
QUOTABLE_KINDS = frozenset({SourceKind.FILE, SourceKind.MESSAGE})


@dataclass(frozen=True, slots=True)
class NewSource:
    """A text that is to be found from now on, and who may find it where."""

    kind: SourceKind
    source_id: str
    project_id: str | None
    said_at: datetime
    path: str = ""
    media: str = "text"
    tags: list[str] = field(default_factory=list[str])
    local_only: bool = False
    conversation_id: str | None = None
    owner_id: str | None = None
    speaker: str = ""
    round_id: str | None = None
    round_number: int | None = None


@dataclass(frozen=True, slots=True)
class IndexedSource:
    """A text that can be found."""

    id: int
    workspace_id: str
    kind: SourceKind
    source_id: str
    project_id: str | None
    conversation_id: str | None
    owner_id: str | None
    path: str
    media: str
    speaker: str
    round_number: int | None
    said_at: datetime
    attempts: int
    revision: int
    chunk_count: int
    embedder: str

    @property
    def bank(self) -> str:
        """Return the bank its vectors lie in."""
        return bank_name(
            workspace_id=self.workspace_id,
            project_id=self.project_id,
            owner_id=self.owner_id,
            kind=self.kind,
        )


def bank_name(*, workspace_id: str, project_id: str | None, owner_id: str | None, kind: SourceKind) -> str:
    """Return the bank of a text: what only its owner may find lies apart from what every member may.

    Summaries, memories and tasks lie apart too, so that whoever does not look for them passes none.
    """
    place = project_id or workspace_id
    name = f"{place}:{owner_id}" if owner_id else place
    return f"{name}/{kind}" if kind in BANKS_APART else name


def queue_source(tx: Tx, source: NewSource) -> None:
    """Have a text indexed, or indexed anew; until then its earlier form is found."""
    tx.run(
        """INSERT INTO sources (workspace_id, kind, source_id, project_id, conversation_id, owner_id, path,
             media, tags, local_only, speaker, round_id, round_number, said_at, state)
           VALUES (:workspace, :kind, :source_id, :project_id, :conversation_id, :owner_id, :path,
             :media, :tags, :local_only, :speaker, :round_id, :round_number, :said_at, 'waiting')
           ON CONFLICT (kind, source_id) DO UPDATE SET project_id = :project_id,
             conversation_id = :conversation_id, owner_id = :owner_id, path = :path, media = :media,
             tags = :tags, local_only = :local_only, said_at = :said_at, state = 'waiting',
             problem = '', attempts = 0, revision = sources.revision + 1""",
        kind=source.kind,
        source_id=source.source_id,
        project_id=source.project_id,
        conversation_id=source.conversation_id,
        owner_id=source.owner_id,
        path=source.path,
        media=source.media,
        tags=source.tags,
        local_only=source.local_only,
        speaker=source.speaker,
        round_id=source.round_id,
        round_number=source.round_number,
        said_at=source.said_at,
    )


def queue_summaries(tx: Tx, conversation_id: str, *, only: Collection[str] | None = None) -> None:
    """Have the versions of a conversation's summary indexed, or indexed anew: all of them, or only some.

    Those of which no point holds any more are forgotten when they are read.
    """
    tx.run(
        f"""INSERT INTO sources (workspace_id, kind, source_id, project_id, conversation_id, owner_id, media,
              local_only, round_id, round_number, said_at, state)
            SELECT workspace_id, 'summary', id, project_id, conversation_id, owner_id, 'markdown',
              local_only, round_id, round_number, said_at, 'waiting' FROM summary_sources
            WHERE workspace_id = :workspace AND conversation_id = :id
              AND (:all = 1 OR id IN {bound_list("only")})
            ON CONFLICT (kind, source_id) DO UPDATE SET owner_id = excluded.owner_id,
              local_only = excluded.local_only, state = 'waiting', problem = '', attempts = 0,
              revision = sources.revision + 1""",
        id=conversation_id,
        all=only is None,
        only=sorted(only or ()),
    )


def update_local_only_summaries(tx: Tx, conversation_id: str) -> None:
    """Have those versions indexed anew that became local only, or are so no more, with their messages."""
    changed = tx.column(
        """SELECT v.id FROM summary_sources AS v
           JOIN sources AS s ON s.kind = 'summary' AND s.source_id = v.id
           WHERE v.workspace_id = :workspace AND v.conversation_id = :id AND s.local_only <> v.local_only""",
        id=conversation_id,
    )
    if changed:
        queue_summaries(tx, conversation_id, only=changed)


def has_summary(tx: Tx, conversation_id: str) -> bool:
    """Tell whether anything of a conversation's summary can be found."""
    sql = """SELECT 1 FROM sources WHERE workspace_id = :workspace AND conversation_id = :id
             AND kind = 'summary' LIMIT 1"""
    return tx.value(sql, id=conversation_id) is not None


def has_sources_elsewhere(tx: Tx, project_id: str, *, project_ids: Iterable[str]) -> bool:
    """Tell whether the workspace, which has these projects, has anything to be found outside of one."""
    # One look into an index for each place: a scan would read all that the project has.
    there = "SELECT 1 FROM sources WHERE workspace_id = :workspace AND project_id"
    return bool(tx.value(f"{there} IS NULL LIMIT 1")) or any(
        tx.value(f"{there} = :other LIMIT 1", other=other) for other in project_ids if other != project_id
    )


def filter_visible_sources(tx: Tx, source_ids: Collection[str]) -> frozenset[str]:
    """Return those of some texts that the caller may see."""
    # With the kinds they are looked up in an index; by their ids alone, all texts would be read.
    sql = f"""SELECT s.source_id FROM sources AS s
        WHERE {VISIBLE_SOURCES_SQL} AND s.kind IN {bound_list("kinds")}
        AND s.source_id IN {bound_list("ids")}"""
    return frozenset(tx.column(sql, kinds=sorted(ALL_SOURCE_KINDS), ids=list(source_ids)))


def remove_sources(tx: Tx, kind: SourceKind, source_ids: list[str]) -> None:
    """Forget texts with every trace of them in the index."""
    tx.run(
        f"""DELETE FROM sources WHERE workspace_id = :workspace AND kind = :kind
            AND source_id IN {bound_list("ids")}""",
        kind=kind,
        ids=source_ids,
    )


def remove_conversation(tx: Tx, conversation_id: str) -> None:
    """Forget all that was said in a conversation with every trace of it in the index."""
    sql = "DELETE FROM sources WHERE workspace_id = :workspace AND conversation_id = :id"
    tx.run(sql, id=conversation_id)


def set_tags(tx: Tx, kind: SourceKind, source_id: str, tags: list[str]) -> None:
    """Change a text's tags; nothing has to be indexed for that."""
    tx.run(
        """UPDATE sources SET tags = :tags WHERE workspace_id = :workspace AND kind = :kind
           AND source_id = :id""",
        kind=kind,
        id=source_id,
        tags=tags,
    )


def set_local_only(tx: Tx, kind: SourceKind, source_id: str, *, local_only: bool) -> None:
    """Say whether a text may be sent to another server to be embedded, and have it indexed accordingly."""
    tx.run(
        """UPDATE sources SET local_only = :local_only, state = 'waiting', revision = revision + 1
           WHERE workspace_id = :workspace AND kind = :kind AND source_id = :id""",
        kind=kind,
        id=source_id,
        local_only=local_only,
    )


def set_conversation_owner(tx: Tx, conversation_id: str, owner_id: str | None) -> None:
    """Let what a conversation holds be found by its owner alone, or by every member."""
    tx.run(
        """UPDATE sources SET owner_id = :owner_id, state = 'waiting', revision = revision + 1
           WHERE workspace_id = :workspace AND conversation_id = :id""",
        id=conversation_id,
        owner_id=owner_id,
    )


def requeue_conversation(tx: Tx, conversation_id: str) -> None:
    """Index what was said in a conversation anew: it is found by the title too."""
    tx.run(
        """UPDATE sources SET state = 'waiting', revision = revision + 1
           WHERE workspace_id = :workspace AND conversation_id = :id AND kind = 'message'""",
        id=conversation_id,
    )


def requeue_own_messages(tx: Tx, owner_ids: Collection[str]) -> None:
    """Have the messages indexed anew that only some people find, each their own."""
    tx.run(
        f"""UPDATE sources SET state = 'waiting', revision = revision + 1
            WHERE workspace_id = :workspace AND kind = 'message' AND owner_id IN {bound_list("owners")}""",
        owners=sorted(owner_ids),
    )


def requeue_all(tx: Tx, project_id: str | None) -> int:
    """Have everything of a project, or of the workspace, indexed anew; return how many texts that are."""
    return tx.change(
        """UPDATE sources SET state = 'waiting', problem = '', attempts = 0, revision = revision + 1
           WHERE workspace_id = :workspace
             AND (CAST(:project_id AS TEXT) IS NULL OR project_id = :project_id)""",
        project_id=project_id,
    )
