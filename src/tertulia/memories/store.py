"""Memories in the database."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.db.like_patterns import escape_like, fold_case, like_folded
from tertulia.memories.domain import (
    MEMORY_UNUSED_MAX,
    Memory,
    MemoryEvidence,
    MemoryStatus,
    MemoryType,
    NewMemory,
)
from tertulia.projects.visibility import not_of_deleted_conversation_sql

MEMORY_COLUMNS = """id, owner_id, project_id, created_by, made_by, type, category, content, confidence,
    pinned, local_only, status, created_at, changed_at, last_used_at, use_count, conversation_id, message_id,
    start_char, end_char, quote, superseded_by, supersedes, is_version, review_reason"""
#: What a person may see: their own and every project's, unless it or the conversation it quotes was deleted.
NOT_DELETED_SQL = f"deleted_at IS NULL AND {not_of_deleted_conversation_sql('memories.conversation_id')}"
VISIBLE_SQL = f"workspace_id = :workspace AND {NOT_DELETED_SQL}"
#: The same where some are named: SQLite would go through all of a workspace's rather than look up these.
NAMED_IN_WORKSPACE_SQL = "coalesce(workspace_id, '') = :workspace"
NAMED_VISIBLE_SQL = f"{NAMED_IN_WORKSPACE_SQL} AND {NOT_DELETED_SQL}"
OWN_SQL = "(owner_id = :me OR owner_id IS NULL)"
#: What no model was told for long: see `Memory.is_long_unused`.
LONG_UNUSED_SQL = "(pinned = 0 AND coalesce(last_used_at, created_at) < :unused_since)"
#: What depends on something that has changed, or was told to nobody for long: see `Memory.reason_to_review`.
NEEDS_REVIEW_SQL = f"review_reason <> '' OR (status = 'active' AND {LONG_UNUSED_SQL})"
#: Older ones are told only where a question needs them.
NEWEST_CONSIDERED_MAX = 1_000
#: Memories that one statement may be compared with.
SAME_SUBJECT_CANDIDATES_MAX = 400


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are listed; what is empty does not narrow the list."""

    statuses: Collection[MemoryStatus] = (MemoryStatus.ACTIVE,)
    types: Collection[MemoryType] = ()
    category: str = ""
    pinned: bool | None = None
    project_id: str = ""
    conversation_id: str = ""
    text: str = ""
    needs_review: bool | None = None
    #: Only the caller's own, and none of any project.
    only_own: bool = False

    @property
    def sql(self) -> str:
        """Return the conditions of this filter."""
        narrowed = {
            f"type IN {bound_list('types')}": bool(self.types),
            "category = :category": bool(self.category),
            "pinned = 0": self.pinned is False,
            # Few are pinned, and an index has these alone: SQLite would go through all that are active.
            "id IN (SELECT id FROM memories WHERE workspace_id = :workspace AND pinned = 1)": bool(
                self.pinned
            ),
            "project_id = :project": bool(self.project_id),
            # The same holds for those of a conversation.
            """id IN (SELECT id FROM memories WHERE workspace_id = :workspace
                AND conversation_id = :conversation)""": bool(self.conversation_id),
            like_folded("content", "text"): bool(self.text),
            f"({NEEDS_REVIEW_SQL}) = (:needs_review = 1)": self.needs_review is not None,
        }
        # Of one status the index has memories in order: nothing is sorted then.
        status = "status = :status" if len(self.statuses) == 1 else f"status IN {bound_list('statuses')}"
        return " AND ".join([status, *(sql for sql, used in narrowed.items() if used)])

    @property
    def bound(self) -> JsonObject:
        """Return the values that its conditions name."""
        every: JsonObject = {
            "types": sorted(self.types),
            "category": self.category,
            "project": self.project_id,
            "conversation": self.conversation_id,
            "text": f"%{fold_case(escape_like(self.text))}%",
            "needs_review": self.needs_review,
            "unused_since": now() - MEMORY_UNUSED_MAX,
        }
        used = self.sql
        statuses = sorted(self.statuses)
        told: JsonObject = {"status": statuses[0]} if len(statuses) == 1 else {"statuses": statuses}
        return told | {name: value for name, value in every.items() if f":{name}" in used}


def add(tx: Tx, new: NewMemory) -> str:
    """Store a memory, and return its id."""
    memory_id, evidence = new_id("mem"), new.evidence
    tx.run(
        """INSERT INTO memories (id, workspace_id, owner_id, project_id, created_by, made_by, type, category,
             content, confidence, pinned, local_only, status, created_at, changed_at, conversation_id,
             message_id, start_char, end_char, quote)
           VALUES (:id, :workspace, :owner, :project, :me, :made_by, :type, :category, :content, :confidence,
             :pinned, :local_only, :status, :now, :now, :conversation, :message, :start, :end, :quote)""",
        id=memory_id,
        owner=None if new.project_id else tx.by.user_id,
        project=new.project_id,
        made_by=new.made_by,
        type=new.type,
        category=new.category,
        content=new.content,
        confidence=new.confidence,
        pinned=new.pinned,
        local_only=new.local_only,
        status=new.status,
        now=now(),
        conversation=evidence.conversation_id if evidence else None,
        message=evidence.message_id if evidence else None,
        start=evidence.start_char if evidence else 0,
        end=evidence.end_char if evidence else 0,
        quote=evidence.quote if evidence else "",
    )
    return memory_id


def add_version(tx: Tx, memory: Memory) -> str:
    """Keep what a memory said so far as an earlier version of it, and return that one's id."""
    version_id = new_id("mem")
    tx.run(
        """INSERT INTO memories (id, workspace_id, owner_id, project_id, created_by, made_by, type, category,
             content, confidence, local_only, status, created_at, changed_at, conversation_id, message_id,
             start_char, end_char, quote, superseded_by, supersedes, is_version)
           SELECT :version, workspace_id, owner_id, project_id, created_by, made_by, type, category, content,
             confidence, local_only, 'superseded', created_at, :now, conversation_id, message_id, start_char,
             end_char, quote, id, supersedes, 1
           FROM memories WHERE id = :id AND workspace_id = :workspace""",
        version=version_id,
        id=memory.id,
        now=now(),
    )
    return version_id


def change(tx: Tx, memory_id: str, **values: object) -> None:
    """Set columns of a memory."""
    sets = "".join(f", {column} = :{column}" for column in values)
    sql = f"UPDATE memories SET changed_at = :now{sets} WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=memory_id, now=now(), **values)


def delete(tx: Tx, memory_ids: Collection[str]) -> None:
    """Delete memories, with earlier versions of them."""
    tx.run(
        f"""DELETE FROM memories WHERE {NAMED_IN_WORKSPACE_SQL} AND (id IN {bound_list("ids")}
            OR (is_version = 1 AND superseded_by IN {bound_list("ids")}))""",
        ids=list(memory_ids),
    )


def hide(tx: Tx, memory_id: str, *, deleted_at: datetime | None) -> None:
    """Let nobody see a memory and its earlier versions any more, or let them be seen again."""
    tx.run(
        f"""UPDATE memories SET deleted_at = :deleted_at WHERE {NAMED_IN_WORKSPACE_SQL}
            AND (id = :id OR (is_version = 1 AND superseded_by = :id))""",
        id=memory_id,
        deleted_at=deleted_at,
    )


def find(tx: Tx, memory_id: str) -> Memory | None:
    """Return a memory that the caller may see."""
    sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE id = :id AND {VISIBLE_SQL} AND {OWN_SQL}"
    return tx.one(Memory, sql, id=memory_id)


def find_many(tx: Tx, memory_ids: Iterable[str]) -> list[Memory]:
    """Return those of some memories that the caller may see."""
    sql = f"""SELECT {MEMORY_COLUMNS} FROM memories WHERE id IN {bound_list("ids")}
        AND {NAMED_VISIBLE_SQL} AND {OWN_SQL}"""
    return tx.all(Memory, sql, ids=list(memory_ids))


def list_page(tx: Tx, wanted: MemoryFilter, *, after: str, limit: int) -> list[Memory]:
    """Return memories that the caller may see, newest first, after the one named.

    One's own and those of projects are looked up apart, each by its index.
    """
    page = f"{VISIBLE_SQL} AND {wanted.sql} AND (:after = '' OR id < :after) ORDER BY id DESC LIMIT :limit"
    owners = [] if wanted.project_id else ["owner_id = :me"]
    owners += [] if wanted.only_own else ["owner_id IS NULL"]
    found = [
        memory
        for owner in owners
        for memory in tx.all(
            Memory,
            f"SELECT {MEMORY_COLUMNS} FROM memories WHERE {owner} AND {page}",
            after=after,
            limit=limit,
            **wanted.bound,
        )
    ]
    return sorted(found, key=lambda memory: memory.id, reverse=True)[:limit]


def list_in_use(tx: Tx, *, project_id: str | None, limit: int) -> list[Memory]:
    """Return the caller's newest active memories and the project's: what no model needed for long comes last.

    Only so many of the newest are considered.
    """
    owners = ["owner_id = :me"] + (["owner_id IS NULL AND project_id = :project"] if project_id else [])
    found = [
        memory
        for owner in owners
        for memory in tx.all(
            Memory,
            f"""SELECT {MEMORY_COLUMNS} FROM memories WHERE {NAMED_VISIBLE_SQL} AND id IN (
                  SELECT id FROM memories WHERE workspace_id = :workspace AND {owner} AND status = 'active'
                  ORDER BY id DESC LIMIT :most)
                ORDER BY {LONG_UNUSED_SQL}, id DESC LIMIT :limit""",
            unused_since=now() - MEMORY_UNUSED_MAX,
            most=NEWEST_CONSIDERED_MAX,
            limit=limit,
            **({"project": project_id} if ":project" in owner else {}),
        )
    ]
    at = now()
    return sorted(found, key=lambda memory: (not memory.is_long_unused(at), memory.id), reverse=True)[:limit]


def list_superseded_by(tx: Tx, memory_id: str) -> list[Memory]:
    """Return what a memory has taken the place of, its own earlier versions too."""
    sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE superseded_by = :id AND {VISIBLE_SQL} AND {OWN_SQL}"
    return tx.all(Memory, sql, id=memory_id)


def list_superseded_of_messages(tx: Tx, message_ids: Collection[str]) -> list[Memory]:
    """Return what was said in messages and holds no longer, in order."""
    sql = f"""SELECT {MEMORY_COLUMNS} FROM memories WHERE message_id IN {bound_list("ids")}
        AND status = 'superseded' AND {NAMED_VISIBLE_SQL} AND {OWN_SQL} ORDER BY start_char, id"""
    return tx.all(Memory, sql, ids=list(message_ids))


def find_corrections(tx: Tx, memory_ids: Collection[str]) -> dict[str, str]:
    """Return the version that the last correction by hand made of each memory that was corrected."""
    sql = f"""SELECT superseded_by, max(id) FROM memories WHERE {NAMED_IN_WORKSPACE_SQL} AND is_version = 1
        AND superseded_by IN {bound_list("ids")} GROUP BY superseded_by"""
    return dict(tx.rows(sql, ids=list(memory_ids)))


def count_waiting(tx: Tx) -> int:
    """Return how many proposals wait for the caller."""
    sql = f"SELECT count(*) FROM memories WHERE owner_id = :me AND status = 'proposed' AND {VISIBLE_SQL}"
    return tx.value(sql)


def set_words(tx: Tx, memory_id: str, words: Collection[str]) -> None:
    """Let a memory be looked up by these words alone."""
    tx.run("DELETE FROM memory_words WHERE memory_id = :id AND workspace_id = :workspace", id=memory_id)
    tx.run_many(
        "INSERT INTO memory_words (memory_id, workspace_id, word) VALUES (:id, :workspace, :word)",
        [{"id": memory_id, "word": word} for word in sorted(words)],
    )


def list_with_words(
    tx: Tx, words: Collection[str], *, owner_id: str | None, project_id: str | None
) -> list[Memory]:
    """Return the active memories of the same owner with one of these words, those with most of them first.

    Those whose deletion, or that of their conversation, can be undone are among them: they may come back.
    """
    owner = "owner_id = :owner" if owner_id else "owner_id IS NULL AND project_id = :project"
    sql = f"""SELECT {MEMORY_COLUMNS} FROM memories JOIN (
          SELECT memory_id, count(*) AS shared FROM memory_words
          WHERE workspace_id = :workspace AND word IN {bound_list("words")}
          GROUP BY memory_id) AS w ON w.memory_id = memories.id
        WHERE {NAMED_IN_WORKSPACE_SQL} AND status = 'active' AND {owner}
        ORDER BY w.shared DESC, id DESC LIMIT :most"""
    values = {"owner": owner_id} if owner_id else {"project": project_id}
    return tx.all(Memory, sql, words=sorted(words), most=SAME_SUBJECT_CANDIDATES_MAX, **values)


def list_places_of_messages(tx: Tx, message_ids: Collection[str]) -> set[tuple[str, int]]:
    """Return where in messages something stands that was remembered or turned down already."""
    sql = f"""SELECT message_id, start_char FROM memories WHERE {NAMED_IN_WORKSPACE_SQL} AND created_by = :me
        AND message_id IN {bound_list("ids")}"""
    return {(message_id, start) for message_id, start in tx.rows(sql, ids=list(message_ids))}


def find_by_contents(tx: Tx, contents: Collection[str]) -> dict[str, Memory]:
    """Return what the caller has as memories, or has turned down, by what it says."""
    sql = f"""SELECT {MEMORY_COLUMNS} FROM memories WHERE workspace_id = :workspace AND owner_id = :me
        AND deleted_at IS NULL AND content IN {bound_list("contents")} AND status <> 'superseded'
        ORDER BY id"""
    return {memory.content: memory for memory in tx.all(Memory, sql, contents=sorted(contents))}


def move_evidence(tx: Tx, memory_id: str, evidence: MemoryEvidence) -> None:
    """Let a memory be said at another place."""
    change(
        tx,
        memory_id,
        conversation_id=evidence.conversation_id,
        message_id=evidence.message_id,
        start_char=evidence.start_char,
        end_char=evidence.end_char,
        quote=evidence.quote,
    )


def note_uses(tx: Tx, memory_ids: Collection[str], *, at: datetime) -> None:
    """Count that memories were shown to a model."""
    tx.run(
        f"""UPDATE memories SET use_count = use_count + 1, last_used_at = :at
            WHERE {NAMED_IN_WORKSPACE_SQL} AND id IN {bound_list("ids")}""",
        ids=list(memory_ids),
        at=at,
    )
