"""Tables are private: SQL names only tables of its own feature. Views are there for all to read."""

import re
from collections.abc import Iterator

from tests.source_modules import ROOT, SOURCES, SourceModule
from tests.unit.test_contracts import feature_of

MIGRATIONS = "\n".join(
    path.read_text() for path in sorted((ROOT / "infra/db/sqlite/migrations").glob("*.sql"))
)
CREATED = re.compile(r"CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)")
RENAMED = re.compile(r"ALTER TABLE (\w+) RENAME TO (\w+)")
#: A name after a word that a table follows, after a comma between tables, or before its alias.
NAMED = re.compile(
    r"""\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+([a-z_]+)
      | ,\s*([a-z_]+)\s+AS\s+\w+\s*(?:$|\bON\b|\bWHERE\b)
      | ^\s*([a-z_]+)\s+AS\s+\w+\s+(?:LEFT\s+)?JOIN\b""",
    re.VERBOSE,
)

OWNERS = {
    "accounts": "api_tokens audit links members sessions sign_in_attempts users workspaces",
    "calendars": "calendar_accounts calendar_objects calendar_pushes calendars event_links",
    "context": "receipt_texts receipts shared_items",
    "conversations": """attachments conversations message_marks messages replies reply_headings reversals
        rounds tool_results tool_runs tool_sources tool_steps""",
    "doors": "transcripts",
    "entities": "entities entity_mentions entity_reads",
    "files": "contents file_versions files held_contents unused_blobs",
    "infra/db": "deletions server_facts",
    "infra/events": "events topics",
    "infra/jobs": "jobs",
    "infra/undo": "held_rows pending_deletions",
    "memories": "memories memory_preferences memory_words",
    "memory": "summaries summary_points",
    "models": "connections offered_models preset_removed_servers presets token_ratios",
    "planning": "calendar_preferences replans scheduled_tasks",
    "profiles": "profiles",
    "projects": "brief_versions projects",
    "reminders": """push_subscriptions reminder_deliveries reminder_plans reminder_preferences
        reminders""",
    "retrieval": """chunk_words chunks passage_usage personal_retrieval_preferences retrieval_metrics
        retrieval_preferences serving_embedder sources vectors""",
    "search": "citation_marks",
    "tasks": "phases task_changes task_links tasks",
    "tools": "http_tools tool_grants tool_servers tool_switches tool_uses",
    "turns": "idempotency_keys runs spending",
}
OWNER_OF = {table: feature for feature, tables in OWNERS.items() for table in tables.split()}

#: Modules that name a foreign table nevertheless, and why.
EXCEPTIONS = {
    ("projects/visibility.py", "conversations"): "says once, for all below conversations, who may see one",
    (
        "retrieval/candidates.py",
        "conversations",
    ): "a prompt waits for this: titles come in the same statement",
    ("infra/db/deletion_rules.py", "connections"): "the registry of what goes with an account",
    ("infra/db/deletion_rules.py", "preset_removed_servers"): "the registry of what goes with an account",
}


def tables_of_schema() -> set[str]:
    """Return the tables that the migrations leave behind."""
    renamed = dict(RENAMED.findall(MIGRATIONS))
    return {renamed.get(table, table) for table in CREATED.findall(MIGRATIONS)}


def named_tables(module: SourceModule) -> Iterator[str]:
    """Yield the tables that the strings of a module name."""
    for text, _ in module.texts:
        names = {name for names in NAMED.findall(text) for name in names}
        yield from names & OWNER_OF.keys()


def foreign_tables() -> set[tuple[str, str]]:
    """Return each module that names a table of another feature, with the table."""
    return {
        (path.as_posix(), table)
        for path, module in SOURCES.items()
        for table in named_tables(module)
        if OWNER_OF[table] != feature_of(path)
    }


def test_every_table_has_one_owner() -> None:
    assert tables_of_schema() == OWNER_OF.keys()
    assert len(OWNER_OF) == sum(len(tables.split()) for tables in OWNERS.values())


def test_tables_are_found_in_statements() -> None:
    statements = ["SELECT 1\n FROM files AS f, rounds AS r WHERE 1", "UPDATE jobs SET", "chunks AS c JOIN x"]
    module = SourceModule.parse(f"sql = {statements!r}")
    assert sorted(named_tables(module)) == ["chunks", "files", "jobs", "rounds"]


def test_no_feature_names_a_table_of_another() -> None:
    assert foreign_tables() == EXCEPTIONS.keys()
