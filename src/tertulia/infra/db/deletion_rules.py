"""The registry of tables: what becomes of each when a workspace or an account is deleted.

A table goes with its workspace by foreign keys that cascade, or by a trigger. One that does not is
named here with the reason. A column that names a person is either reached that way from the rows
that an account's deletion removes, or says here what becomes of it. A test compares this with the
schema, so a new table cannot be forgotten.
"""

from dataclasses import dataclass
from enum import StrEnum

#: Tables that stay when a workspace goes.
TABLES_OUTLIVING_WORKSPACE = {
    "audit": "ids and choices without text: what happened stays true",
    "deletions": "counts of what is still to be removed from disk",
    "server_facts": "a sealed check of the server's key, the mark of its blob store, when work is next due",
    "serving_embedder": "the name of a model of the server's own",
    "sign_in_attempts": "digests, each for an hour",
    "unused_blobs": "places of blobs until they are deleted there too",
    "users": "people may belong to other workspaces",
}


class DeletionRule(StrEnum):
    """What becomes of rows that name a person whose account is deleted."""

    #: The rows are deleted.
    DELETE = "delete"
    #: Those that only the person could see are deleted; what others could see stays.
    DELETE_PRIVATE = "delete private"
    #: The rows stay, with the id of an account that has no name any more.
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class PersonColumn:
    """A column that names a person, and what becomes of its rows when their account is deleted."""

    table: str
    column: str
    rule: DeletionRule
    reason: str
    #: Where only some of the rows are deleted right with the account, SQL that is true of them.
    condition: str = ""


SHARED_ROWS_REASON = "shared with the workspace"
CONVERSATION_ROWS_REASON = "part of a conversation, and goes with it"
PERSON_COLUMNS = (
    PersonColumn("members", "user_id", DeletionRule.DELETE, "their place in a workspace"),
    PersonColumn("links", "user_id", DeletionRule.DELETE, "a way into their account"),
    PersonColumn("links", "made_by", DeletionRule.DELETE, "an invitation that nobody vouches for any more"),
    PersonColumn("connections", "user_id", DeletionRule.DELETE, "their own keys"),
    PersonColumn("tool_grants", "user_id", DeletionRule.DELETE, "what they allowed tools"),
    PersonColumn(
        "citation_marks", "user_id", DeletionRule.DELETE, "their own opinions, with their questions"
    ),
    PersonColumn("retrieval_metrics", "user_id", DeletionRule.DELETE, "what they searched for"),
    PersonColumn(
        "personal_retrieval_preferences", "user_id", DeletionRule.DELETE, "what they chose for themselves"
    ),
    PersonColumn("passage_usage", "user_id", DeletionRule.DELETE, "figures of their own prompts"),
    PersonColumn(
        "memories", "owner_id", DeletionRule.DELETE_PRIVATE, "those of projects are shared", condition="true"
    ),
    PersonColumn("memory_preferences", "user_id", DeletionRule.DELETE, "what they chose for themselves"),
    PersonColumn("calendar_accounts", "user_id", DeletionRule.DELETE, "their own accounts elsewhere"),
    PersonColumn("calendars", "owner_id", DeletionRule.DELETE, "nobody else sees them"),
    PersonColumn(
        "tasks",
        "owner_id",
        DeletionRule.DELETE_PRIVATE,
        "those of projects are shared",
        condition="project_id IS NULL",
    ),
    PersonColumn("push_subscriptions", "user_id", DeletionRule.DELETE, "their own browsers"),
    PersonColumn("reminder_deliveries", "user_id", DeletionRule.DELETE, "what they alone were reminded of"),
    PersonColumn("reminder_plans", "user_id", DeletionRule.DELETE, "what they alone are reminded of"),
    PersonColumn("reminder_preferences", "user_id", DeletionRule.DELETE, "what they chose for themselves"),
    PersonColumn("reminders", "user_id", DeletionRule.DELETE, "what they alone were reminded of"),
    PersonColumn("calendar_preferences", "user_id", DeletionRule.DELETE, "what they chose for themselves"),
    PersonColumn("scheduled_tasks", "user_id", DeletionRule.DELETE, "events of their own calendar"),
    PersonColumn("replans", "user_id", DeletionRule.DELETE, "events of their own calendar"),
    PersonColumn("conversations", "owner_id", DeletionRule.DELETE_PRIVATE, "shared ones have other readers"),
    PersonColumn(
        "presets",
        "created_by",
        DeletionRule.DELETE_PRIVATE,
        "those without models of their own are shared",
        # Their own servers are removed by then, and a trigger has noted which presets name them.
        condition="""EXISTS (SELECT 1 FROM preset_removed_servers AS removed
            WHERE removed.preset_id = presets.id AND NOT EXISTS (
              SELECT 1 FROM connections AS other
              WHERE other.slug = removed.slug AND other.workspace_id = presets.workspace_id))""",
    ),
    PersonColumn("conversations", "title_by", DeletionRule.KEEP, "a kind of author, no person"),
    PersonColumn("sources", "owner_id", DeletionRule.KEEP, CONVERSATION_ROWS_REASON),
    PersonColumn("rounds", "author_id", DeletionRule.KEEP, CONVERSATION_ROWS_REASON),
    PersonColumn("runs", "user_id", DeletionRule.KEEP, "ends with its reply"),
    PersonColumn("idempotency_keys", "user_id", DeletionRule.KEEP, CONVERSATION_ROWS_REASON),
    PersonColumn("summaries", "made_by", DeletionRule.KEEP, "a model, no person"),
    PersonColumn("transcripts", "user_id", DeletionRule.KEEP, CONVERSATION_ROWS_REASON),
    PersonColumn("tool_runs", "user_id", DeletionRule.KEEP, CONVERSATION_ROWS_REASON),
    PersonColumn("tool_runs", "decided_by", DeletionRule.KEEP, CONVERSATION_ROWS_REASON),
    PersonColumn("tool_uses", "user_id", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("memories", "created_by", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("memories", "made_by", DeletionRule.KEEP, "a kind of author, no person"),
    PersonColumn("memories", "superseded_by", DeletionRule.KEEP, "another memory, no person"),
    PersonColumn("tasks", "assignee_id", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("tasks", "made_by", DeletionRule.KEEP, "a kind of author, no person"),
    PersonColumn("task_changes", "user_id", DeletionRule.KEEP, "part of a task, and goes with it"),
    PersonColumn("task_changes", "made_by", DeletionRule.KEEP, "a kind of author, no person"),
    PersonColumn("projects", "created_by", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("brief_versions", "replaced_by", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("brief_versions", "made_by", DeletionRule.KEEP, "a kind of author, no person"),
    PersonColumn("files", "created_by", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("file_versions", "created_by", DeletionRule.KEEP, SHARED_ROWS_REASON),
    PersonColumn("pending_deletions", "user_id", DeletionRule.KEEP, "a job makes it final within a minute"),
    PersonColumn("spending", "user_id", DeletionRule.KEEP, "figures of the workspace's books"),
    PersonColumn("audit", "actor_id", DeletionRule.KEEP, "ids and choices without text"),
)


def account_deletion_statements() -> list[str]:
    """Return SQL that deletes the rows of the account `:id`, in an order in which none is missed."""
    return [
        f"DELETE FROM {column.table} WHERE {column.column} = :id AND {column.condition or 'true'}"
        for column in PERSON_COLUMNS
        if column.rule is DeletionRule.DELETE or column.condition
    ]
