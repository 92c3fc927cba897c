"""What the doctor looks at where DATABASE_URL names a PostgreSQL server; nothing of it changes."""

from collections.abc import Callable, Generator
from datetime import datetime, timedelta

import psycopg

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.cli.index_checks import INDEX_REBUILD_HINT
from tertulia.cli.machine_checks import check_schema
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.infra.db.postgres.migration import load_migrations, read_schema_number
from tertulia.infra.db.postgres.row_security import IS_ABOVE_POLICIES_SQL, read_tenant_tables
from tertulia.infra.db.postgres.server_checks import check_texts, check_version
from tertulia.infra.db.postgres.tool_connection import connect_tool, read_for_tool
from tertulia.infra.db.server_facts import find_fact
from tertulia.infra.db.statements import Row
from tertulia.infra.secrets import SecretUnreadable, SecretVault
from tertulia.infra.shared_storage import KEY_CHECK_FACT, SecretKeyWrong
from tertulia.retrieval.full_text_rebuild import has_all_chunks
from tertulia.retrieval.index_stats import count_chunks
from tertulia.retrieval.postgres.text_search import TextSearchIndex
from tertulia.settings import Settings

Connection = psycopg.Connection[Row]
#: Leases go by the server's clock, and what people see by the machine's.
CLOCK_DIFFERENCE_MAX = timedelta(seconds=5)
VECTORS_SQL = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
MAY_CREATE_SQL = "SELECT has_schema_privilege(current_schema(), 'CREATE')"


def check_postgres(settings: Settings) -> Generator[CheckResult]:
    """Yield what is found about the database on PostgreSQL that the settings name."""
    try:
        with connect_tool(settings.database_url) as connection:
            for check in POSTGRES_CHECKS:
                yield check(connection)
            is_current = read_schema_number(connection) == load_migrations()[-1][0]
        if is_current:
            yield check_word_index(settings.database_url)
            yield check_key_value(settings)
    except TertuliaError as error:
        yield CheckResult("database", CheckState.FAIL, "Cannot be used", str(error))


def check_server_version(connection: Connection) -> CheckResult:
    """Look whether the server is new enough, and keeps texts in our encoding and order."""
    version = connection.info.parameter_status("server_version")
    try:
        check_version(connection)
        check_texts(connection)
    except TertuliaError as error:
        return CheckResult("database", CheckState.FAIL, f"PostgreSQL {version}", str(error))
    return CheckResult(
        "database", CheckState.OK, f"PostgreSQL {version}, UTF-8, texts in the order of code points"
    )


def check_vectors(connection: Connection) -> CheckResult:
    """Look for pgvector."""
    found = connection.execute(VECTORS_SQL).fetchall()
    if not found:
        fix = "Install it on the server, and have a superuser run CREATE EXTENSION vector in this database."
        return CheckResult("pgvector", CheckState.FAIL, "Not in this database", fix)
    return CheckResult("pgvector", CheckState.OK, f"Version {found[0][0]}")


def check_privileges(connection: Connection) -> CheckResult:
    """Look whether the role may change the schema."""
    [(may_create,)] = connection.execute(MAY_CREATE_SQL).fetchall()
    if not may_create:
        fix = f"Let it own the database: ALTER DATABASE … OWNER TO {connection.info.user}."
        return CheckResult("privileges", CheckState.FAIL, "The role may not make tables", fix)
    return CheckResult("privileges", CheckState.OK, f"{connection.info.user} may change the schema")


def check_row_security(connection: Connection) -> CheckResult:
    """Look whether the server itself keeps workspaces apart for this role."""
    [(is_above,)] = connection.execute(IS_ABOVE_POLICIES_SQL).fetchall()
    if is_above:
        fix = "Give DATABASE_URL a role that is no superuser and has no BYPASSRLS."
        return CheckResult("row-level security", CheckState.WARN, "Does not hold for this role", fix)
    tables = read_tenant_tables(connection)
    bare = [table for table, is_secured in tables.items() if not is_secured]
    if bare:
        fix = "`tertulia upgrade`, or the next `tertulia serve`, gives it to them."
        return CheckResult("row-level security", CheckState.WARN, f"Missing for {', '.join(bare)}", fix)
    return CheckResult("row-level security", CheckState.OK, f"Holds for {len(tables)} tables")


def check_postgres_schema(connection: Connection) -> CheckResult:
    """Compare the database's schema with the one that this program knows."""
    return check_schema(read_schema_number(connection), load_migrations()[-1][0])


def check_clock(connection: Connection) -> CheckResult:
    """Compare the server's clock with this machine's."""
    asked_at = now()
    [(server_time,)] = connection.execute("SELECT clock_timestamp()").fetchall()
    return judge_clock(asked_at, server_time, now())


def judge_clock(asked_at: datetime, server_time: datetime, answered_at: datetime) -> CheckResult:
    """Judge how far the server's clock is from where it must be between a question and its answer."""
    difference = max(asked_at - server_time, server_time - answered_at, timedelta())
    if difference > CLOCK_DIFFERENCE_MAX:
        fix = "Have both machines set their clocks by the network."
        message = f"The server's differs from this machine's by {difference.total_seconds():.0f} s"
        return CheckResult("clock", CheckState.WARN, message, fix)
    return CheckResult("clock", CheckState.OK, "The server's agrees with this machine's")


def check_word_index(url: str) -> CheckResult:
    """Compare the number of chunks with that of their entries in the index of words."""
    with read_for_tool(url) as tx:
        chunks, is_whole = count_chunks(tx), has_all_chunks(tx, TextSearchIndex())
    if not is_whole:
        message = "The index of words does not agree with the chunks"
        return CheckResult("index", CheckState.WARN, message, INDEX_REBUILD_HINT)
    return CheckResult("index", CheckState.OK, f"As many entries as chunks: {chunks}")


def check_key_value(settings: Settings) -> CheckResult:
    """Look whether the secret key is the one that the secrets in the database are sealed with."""
    with read_for_tool(settings.database_url) as tx:
        sealed = find_fact(tx, KEY_CHECK_FACT)
    if sealed is None:
        return CheckResult("sealed secrets", CheckState.OK, "The first server to start decides on the key")
    try:
        SecretVault(settings).open(sealed, context=KEY_CHECK_FACT)
    except SecretUnreadable:
        return CheckResult(
            "sealed secrets", CheckState.FAIL, "Sealed with another key", str(SecretKeyWrong())
        )
    return CheckResult("sealed secrets", CheckState.OK, "This key opens them")


POSTGRES_CHECKS: tuple[Callable[[Connection], CheckResult], ...] = (
    check_server_version,
    check_vectors,
    check_privileges,
    check_row_security,
    check_postgres_schema,
    check_clock,
)
