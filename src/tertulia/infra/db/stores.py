"""The registry of tables: what becomes of each when a workspace or an account is deleted.

A table goes with its workspace by foreign keys that cascade, or by a trigger. One that does not is
named here with the reason. A column that names a person is either reached that way from the rows
that an account's deletion removes, or says here what becomes of it. A test compares this with the
schema, so a new table cannot be forgotten.
"""

from dataclasses import dataclass
from enum import StrEnum

#: Tables that stay when a workspace goes.
OUTLIVES_WORKSPACE = {
    "audit": "ids and choices without text: what happened stays true",
    "deletions": "counts of what is still to be removed from disk",
    "serving_embedder": "the name of a model of the server's own",
    "sign_in_attempts": "digests, each for an hour",
    "unused_blobs": "places of blobs until they are deleted there too",
    "users": "people may belong to other workspaces",
}


class Rule(StrEnum):
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
    rule: Rule
    reason: str


SHARED = "shared with the workspace"
PART_OF_TALK = "part of a conversation, and goes with it"
PERSON_COLUMNS = (
    PersonColumn("members", "user_id", Rule.DELETE, "their place in a workspace"),
    PersonColumn("links", "user_id", Rule.DELETE, "a way into their account"),
    PersonColumn("links", "made_by", Rule.DELETE, "an invitation that nobody vouches for any more"),
    PersonColumn("connections", "user_id", Rule.DELETE, "their own keys"),
    PersonColumn("tool_grants", "user_id", Rule.DELETE, "what they allowed tools"),
    PersonColumn("citation_marks", "user_id", Rule.DELETE, "their own opinions, with their questions"),
    PersonColumn("retrieval_metrics", "user_id", Rule.DELETE, "what they searched for"),
    PersonColumn("conversations", "owner_id", Rule.DELETE_PRIVATE, "shared ones have other readers"),
    PersonColumn(
        "presets", "created_by", Rule.DELETE_PRIVATE, "those without models of their own are shared"
    ),
    PersonColumn("conversations", "title_by", Rule.KEEP, "a kind of author, no person"),
    PersonColumn("sources", "owner_id", Rule.KEEP, PART_OF_TALK),
    PersonColumn("rounds", "author_id", Rule.KEEP, PART_OF_TALK),
    PersonColumn("runs", "user_id", Rule.KEEP, "ends with its reply"),
    PersonColumn("idempotency_keys", "user_id", Rule.KEEP, PART_OF_TALK),
    PersonColumn("summaries", "made_by", Rule.KEEP, "a model, no person"),
    PersonColumn("transcripts", "user_id", Rule.KEEP, PART_OF_TALK),
    PersonColumn("tool_runs", "user_id", Rule.KEEP, PART_OF_TALK),
    PersonColumn("tool_runs", "decided_by", Rule.KEEP, PART_OF_TALK),
    PersonColumn("tool_uses", "user_id", Rule.KEEP, SHARED),
    PersonColumn("projects", "created_by", Rule.KEEP, SHARED),
    PersonColumn("files", "created_by", Rule.KEEP, SHARED),
    PersonColumn("file_versions", "created_by", Rule.KEEP, SHARED),
    PersonColumn("pending_deletions", "user_id", Rule.KEEP, "a job makes it final within a minute"),
    PersonColumn("spending", "user_id", Rule.KEEP, "figures of the workspace's books"),
    PersonColumn("audit", "actor_id", Rule.KEEP, "ids and choices without text"),
)


def rows_to_delete() -> list[PersonColumn]:
    """Return the columns whose rows are deleted with an account."""
    return [column for column in PERSON_COLUMNS if column.rule is Rule.DELETE]
